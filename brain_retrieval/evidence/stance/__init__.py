"""Stance: whether a statement supports a claim, contradicts it, or does neither. `judge.py` has the entry point."""
