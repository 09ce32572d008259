"""Tests of memory extraction."""
