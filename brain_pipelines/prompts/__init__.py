"""One file a task: the prompt and the response model of its answer. No request is sent here."""
