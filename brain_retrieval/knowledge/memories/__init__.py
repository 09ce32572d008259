"""The view of memories at a moment: which of the immutable rows answer a topic then, and what has ended the others."""

SHOWN = 10  # memories, unless all are asked for
