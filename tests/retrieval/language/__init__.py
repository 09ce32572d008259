"""Tests of brain_retrieval.language."""
