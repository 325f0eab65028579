"""From text to passages, selection and rendering."""
