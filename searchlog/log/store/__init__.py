"""Stores of session-log lines behind one narrow interface."""
