"""Commands that print figures beside peers in the same run. See README.md. Nothing timed is asserted."""
