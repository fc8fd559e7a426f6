"""`python -m lorebank`, for when the `lorebank` script is not on the path."""

import sys

from lorebank.cli import main

if __name__ == "__main__":
    sys.exit(main())
