"""Broad questions: what happened, how something stands, what is planned, what was decided, who takes part."""
