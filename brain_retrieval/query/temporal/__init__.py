"""Time in a search: statements of hits that have ended, what holds before them, events that a question refers to."""
