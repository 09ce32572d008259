"""Names of columns and values that need no Arrow: loading it takes longer than most commands need in all."""

# Columns that every table of the lake has.
SOURCE_NAMES = ("source_id", "source", "uri", "day", "event_at", "received_at", "trust", "sensitivity", "ttl_policy")
PLACE_NAMES = ("page", "box", "start_seconds", "end_seconds", "cells")  # of a passage
ORIGIN_NAMES = ("parent_id", "url", "fetched_at")
HELD, HELD_BACK = "held", ("pending", "untrusted")  # table of texts that are not trusted, and its column `trust`
BUCKETS = ("PERSONAL_LIFE", "CREATOR", "PROJECTS", "UNSORTED")
ENTITY_TYPES = ("Person", "Organization", "Project", "Concept", "Location", "Event", "Document", "Tool")
MEMORY_KINDS = ("fact", "event", "plan", "preference", "decision", "relationship", "instruction", "feeling")
_RELATED = "KNOWS WORKS_WITH MEMBER_OF WORKED_ON OWNS DEPENDS_ON RELATED_TO PART_OF USES ABOUT"
RELATIONS = tuple(_RELATED.split())

# Column of the index: 16 bytes for each content word of a text (`models/embedding/word_codes.py`).
WORD_CODES = "word_codes"
