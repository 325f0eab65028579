"""The ZIP file around a snapshot: written in one form, and read strictly, since it may come from a stranger."""
