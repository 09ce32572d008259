"""How the processes of runs are started by the code server."""
