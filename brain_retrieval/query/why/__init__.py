"""`Brain.why`: from anything that Brain shows down to the bytes it was made of, and up to what depends on it.

memory, relation, name, storyline → sentence → passage → text → original bytes → how they arrived
"""
