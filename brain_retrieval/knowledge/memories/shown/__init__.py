"""Which memories are shown to a reader who did not ask for anything, and in what order."""
