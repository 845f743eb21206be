"""Compiles a scope's pages, catalogue and rules into its artefact, anew or from the current one, and publishes it
beside the store. Runs at git time and on command; the outcome depends on the files' names and bytes alone."""
