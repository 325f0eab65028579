"""Fuzzing of everything that reads bytes from strangers: targets, seeds and edits, used by pytest and by the long run.

pytest tests/fuzz                                bounded: some seconds a target
python -m tests.fuzz TARGET --seconds 180        longer; by coverage where atheris is installed
"""
