"""Runs a hook script so that coverage, which the environment started, can write down what it saw.

A hook leaves by the interpreter's own ``_exit``, which nothing patches: here it is coverage's patched ``os._exit``.
"""

import os
import sys
from importlib.machinery import SourceFileLoader

try:
    import posix as system
except ImportError:
    import nt as system

system._exit = os._exit
sys.argv = sys.argv[1:]
loader = SourceFileLoader("__main__", sys.argv[0])
exec(loader.get_code("__main__"), {"__name__": "__main__", "__file__": sys.argv[0], "__loader__": loader})
