"""Verifying what is past: which passages, on which axes, live and in web archives; and keeping each check."""
