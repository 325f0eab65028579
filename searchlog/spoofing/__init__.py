"""What a text can do to a reader's eye: characters that are not seen, letters that look like others, copied marks."""
