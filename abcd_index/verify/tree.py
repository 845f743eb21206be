"""What git says about the index folder and the store: tracked when it must not be, or the reverse."""


def tree_findings(scope, tracked, key):
    """Findings about a workspace's repository; none for the user scope or outside of git.

    ``tracked``: the settings ask for a tracked artefact. Raises CannotTell when git will not speak of the
    repository (ownership).
    """
    return []
