"""Reaching out to the web: which addresses may be asked, the one HTTP client, politeness, URLs, and how a page is kept.

Sources, readers and stages never import this: they work on what has landed.
"""
