"""Asks git about a repository, and stands below the build: no policy, no hook, no page is known here.

Each job is done in one way. ``run`` starts git itself and answers what a git hook or a build may ask: importing
GitPython costs about ten bare interpreter starts. ``log`` walks the history through GitPython, for commands that
people call.
``remote`` starts git itself again, because what is sent and fetched has to end in time. Both ways have the same shield:
``run.OPTIONS``, ``run.QUIET``, ``run.LOCAL`` and no variable of ``run.SCRUBBED`` that another command left.
"""
