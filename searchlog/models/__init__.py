"""Scorers made of a user's own local models, each through a library of an extra. Nothing else imports these at once."""
