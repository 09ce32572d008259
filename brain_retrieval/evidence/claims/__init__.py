"""Claims: what a sentence states, taken apart. `reading.py` has the entry point `read_claim`."""
