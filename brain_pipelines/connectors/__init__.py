"""Connectors copy new files from elsewhere into inboxes; from there they are landed like any other file."""
