"""The tool face: what a model may call, what it is told, and how each API carries that."""
