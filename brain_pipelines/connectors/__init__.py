"""Connectors fetch new material into inboxes. They know nothing of stages: what they drop lands like any other file."""
