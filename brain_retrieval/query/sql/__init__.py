"""SQL over what is stored of one user: `run.py` runs one SELECT, `views.py` says what can be selected from."""
