"""`python -m bough` is the command line."""

from bough.cli import main

if __name__ == "__main__":
    main()
