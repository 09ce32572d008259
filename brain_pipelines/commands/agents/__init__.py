"""Commands that agent frameworks call."""
