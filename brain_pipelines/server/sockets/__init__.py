"""The socket in a home by which commands are answered: `<home>/serve.sock`."""
