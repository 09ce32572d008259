"""Ranking features of the candidates of one question, in groups; `registry.py` lists the groups."""
