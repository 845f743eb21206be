"""Puts the hooks in place and takes them away again: git's, and the entries in an agent's settings files. What other
tools and people put there stays as it was, byte for byte.
"""
