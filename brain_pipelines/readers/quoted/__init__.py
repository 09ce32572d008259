"""Text in a mail or a note that another one has written: press articles that were copied into it."""

ARTICLE = "article"  # kind of the blocks and segments of such a text
