"""Evidence: a claim weighed against passages, memories and graph paths of one user. `check.py` is the entry point."""
