"""Recomputes a scope from its pages and says what does not fit. Reads only; repairs nothing."""
