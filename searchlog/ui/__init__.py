"""What people look at: a verification as one page that asks for nothing outside itself. Pure."""
