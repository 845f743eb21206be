"""Whole-process measurements: what a prompt, a build and a git operation cost beside what people would pick instead.

Run with ``python -m benchmarks run`` (or ``make bench``). Nothing here is imported by the package or by a timed test.
"""
