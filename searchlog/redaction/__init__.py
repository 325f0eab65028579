"""What must not leave: rules of a person's own, and a last look for secrets."""
