"""What stands in a text: its words, what is the same in two spellings, what was put in and taken out. Pure."""
