"""Evaluation of searches on a user's own golden questions: their file, the measures, and the results of past days."""
