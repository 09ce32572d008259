"""Language-dependent code: lexicons, sentence splitting, stop words, negation and text folding."""
