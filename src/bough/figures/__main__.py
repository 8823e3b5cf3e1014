"""`python -m bough.figures` is `bough figures`."""

import sys

from bough.cli import app

app(["figures", *sys.argv[1:]], prog_name="bough")
