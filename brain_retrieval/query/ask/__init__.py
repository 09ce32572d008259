"""Answers to questions: memories first, then passages and a storyline; see `ask.py`."""

SHOWN = 3  # passages
