"""The kinds of place that artefacts are shared in: a folder, what fsspec opens, a git remote.

``backend.Backend`` says what each can do; ``connect.opened`` opens the one that a place names.
"""
