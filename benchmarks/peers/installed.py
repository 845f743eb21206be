"""Peers that people install from a registry, measured when they are on the path. They do a different job: their own
store, their own idea of relevance, so only their time is shown and their output is only checked for being there.

aelfrice (PyPI, needs Python 3.12 or newer): ``pipx install aelfrice``; its hook command is ``aelf-hook``.
"""

import shutil
import subprocess

from ..timing import Command
from ..workspaces import THREE

# Its own index of a large store takes long to make.
LARGEST = 2_000


def available(workspace):
    """The commands of the installed peers for ``workspace``, each having taken in its pages."""
    hook, program = shutil.which("aelf-hook"), shutil.which("aelf")
    if hook and program and workspace.pages <= LARGEST:
        subprocess.run(
            [program, "onboard", str(workspace.root)],
            env=workspace.env,
            cwd=workspace.root,
            capture_output=True,
            check=True,
        )
        yield Command(
            "aelfrice", [hook], env=workspace.env, cwd=workspace.root, stdin=workspace.payload("aelfrice", THREE)
        )
