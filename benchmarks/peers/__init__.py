"""What people would use instead, each as a small prompt hook that does the same lookup.

Every peer reads the same JSON on stdin and prints the same envelope with the pages whose keywords are in the prompt,
up to the same limit. They do less than the real hook: no second scope, no session ledger, no bracket, no inflection,
no ranking beyond the number of keywords hit. Their own indexes are made beforehand and not timed.

The Python ones run as ``python -I -S run.py NAME [SITE-PACKAGES]``, the cheapest start there is: their code comes from
a cached ``.pyc`` and third-party packages are put on the path by hand. Most real hooks start slower than that.
"""
