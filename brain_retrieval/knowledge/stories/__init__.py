"""Storylines, macros and habits of a snapshot as records."""
