"""From payload to text and blocks."""
