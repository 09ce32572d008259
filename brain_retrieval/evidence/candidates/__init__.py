"""Candidates: statements of the user's sources that may bear on a claim. `gathering.py` collects them."""
