"""`python -m searchlog` is the command line."""

from searchlog.cli import main

if __name__ == "__main__":
    main()
