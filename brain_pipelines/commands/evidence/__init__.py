"""Commands about evidence."""
