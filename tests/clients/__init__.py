"""The agents themselves, each run with the hooks that ``install`` registers, against a model that only writes down what it
is asked.

``python -m tests.clients claude codex`` (or ``make test-clients CLIENT=claude``) installs the named agents from npm into a
folder of its own, runs the scenario and says for each step whether what reached the model is what should have. Not part of
the tests: the agents are one to two gigabytes. Nothing of the machine's own agents is read or written: each run has a home,
a project and an environment of its own, and talks to 127.0.0.1 alone.
"""
