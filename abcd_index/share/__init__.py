"""Hands out artefacts that were built once: to a git remote, an object store or a folder, and from there.

Nobody is believed: what arrives is held against the pages on disk before anything is published.
"""
