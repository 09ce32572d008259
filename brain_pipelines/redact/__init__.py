"""Personal data and secrets out of a text: finding them, and putting placeholders in their place. No store, no user."""
