"""The commands: each turns what was given on the command line into a call and prints what came of it."""
