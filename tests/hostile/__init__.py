"""A web that means harm, on loopback, and what searchlog must make of it.

`server.py` misbehaves, one behaviour a path; the files `kind_*.py` hold the behaviours with what is right for each;
`visit.py` lets a fresh process fetch one and measures it; `judge.py` compares. `python -m tests.hostile` prints the
whole table.
"""
