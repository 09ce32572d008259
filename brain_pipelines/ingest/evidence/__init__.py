"""The corrective loop: what is missing for a claim is searched for, fetched, kept and judged within one request."""
