"""Entity resolution: which entities of all the sources of a user are one. How and why: docs/resolution.md.

`resolve.py` is the way in; names are compared in `names.py`, `people.py` and `similarity.py`.
"""
