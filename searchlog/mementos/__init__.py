"""Asking web archives for a page as it was near a moment: Memento (RFC 7089), and the Wayback Machine."""
