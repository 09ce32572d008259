"""How two memories are compared: what they have in common, and which of them comes later."""
