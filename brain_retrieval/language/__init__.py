"""What depends on a natural language: word lists as data, sentences, stop words, negation, and how words are folded."""
