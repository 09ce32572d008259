"""What a text is about in few words: summary, keywords, tags, bucket. Pure functions of a text; no store, no model."""
