"""Recomputes a scope from its pages and says what does not fit: in the pages, in the artefact, in what git tracks.
It reads artefacts with a parser of its own, as ``docs/format.md`` says. Reads only; repairs nothing."""
