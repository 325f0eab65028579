"""A model's final text held against the evidence that it was given: citations, quotations, numbers. Pure."""
