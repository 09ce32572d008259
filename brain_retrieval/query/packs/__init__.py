"""Context packs: search hits and what is known → one cited block of text within a token budget. No search, no model."""
