"""A question in other words, and with the names of those it calls by a relation."""
