"""Confinement of the process that parses foreign files: what the kernel lets it do, and the directory it works in."""
