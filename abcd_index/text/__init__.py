"""The one tokeniser of build and prompt, and the comparison of keywords with a prompt.

Prompt path: standard library only, and almost none of that.
"""
