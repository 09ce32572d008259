"""`brain serve`: one process that answers over HTTP for all users of a home, each with keys of their own."""
