"""Checks of what is stored, as findings."""
