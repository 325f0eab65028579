"""Pairs of pages made by programs from real pages, and what became of the passages between the two."""
