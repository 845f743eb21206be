"""Runs a hook script so that coverage, which the environment started, can write down what it saw.

A hook leaves by the interpreter's own ``_exit``, which nothing patches: here it is coverage's patched ``os._exit``.
"""

import os
import runpy
import sys

try:
    import posix as system
except ImportError:
    import nt as system

system._exit = os._exit
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
