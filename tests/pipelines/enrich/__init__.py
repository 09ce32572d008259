"""Tests of enrichment."""
