"""What the parsers of answers share: hostile values, the reader of an answer, and forms that several services have."""
