"""What runs when git calls: the hooks' texts, the build that they start, the stores of a repository, and the artefact
that a team keeps in it.
"""
