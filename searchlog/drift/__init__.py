"""A passage as it was recorded, held against a page as it reads now. Pure."""
