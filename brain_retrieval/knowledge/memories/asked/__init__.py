"""Answers to a question: what may answer it, what answers instead of it, and in what order it is shown."""
