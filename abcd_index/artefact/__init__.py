"""The one file between build and prompt, as ``docs/format.md`` specifies it: names and numbers, reader, writer, ranking
figures, and what lies beside it (file times, the list of the artefacts that this machine answers for).

All but the writer is on the prompt path.
"""
