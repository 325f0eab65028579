"""Snapshots: a session, a search or chosen evidence as one file that proves itself and that other tools open."""
