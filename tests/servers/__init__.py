"""Servers needed by tests: installation, start and stop. No tests live here except those of the servers themselves."""
