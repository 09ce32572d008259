"""What a search explains beside its hits: what was read in the question, and how the things it names are connected."""
