"""abcd-index: the right memory page at the moment a prompt touches it."""

__version__ = "0.1.0"
