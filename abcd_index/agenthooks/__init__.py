"""What runs when an agent calls: a prompt, a session's start and the status line are read, matched against the
artefacts of the scopes, ranked, cut to the room that is left, written and remembered.

Prompt path: standard library only, and next to none of that; it ends with status 0 whatever happens.
"""
