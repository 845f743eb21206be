"""The one tokeniser of build and prompt, and the comparison of keywords with a prompt.

Prompt path: standard library only, and almost none of that.
"""

# Part of the key: raise when the same keyword or text gives other keys, entries or stems.
TOKENS_VERSION = 1
