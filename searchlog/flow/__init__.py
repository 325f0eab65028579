"""The effects of a search: providers asked, pages read."""
