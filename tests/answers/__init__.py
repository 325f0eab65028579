"""Makers of answers: clean ones, and ones with one planted error, out of evidence cut from real pages."""
