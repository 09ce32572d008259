"""The crawler: jobs, their frontier, the loop over pages, and the optional browser. Fetching itself is in `web/`."""
