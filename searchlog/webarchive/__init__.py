"""Other people's web archives: WARC files, the index over them, and what becomes of their records here."""
