"""Kills, errors, damage and races, tried on the real program: ``python -m tests.faults`` (``make test-faults``).

Not collected by pytest: it takes minutes. What it tries and what it counts is on docs/explanation/faults.md.
"""
