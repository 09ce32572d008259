"""Types and support of names by the words around them and by lists."""
