"""Whether a page stands in for the one that was asked for: a bot challenge, a login wall, a page of "not found"."""
