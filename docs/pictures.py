"""The moving picture of the README and the landing page: `make pictures` writes docs/_static/marionette.webp."""

from pathlib import Path

import bough
from bough import gallery

STATIC = Path(__file__).parent / "_static"


def main() -> None:
    walk = bough.simulate(gallery.marionette().build(), k=gallery.marionette_motion("walk"), duration=8.0)
    steady = walk[300:700]  # four seconds, after the start
    look = {"fps": 20.0, "size": (480, 360), "follow": "head", "forces": True}  # coloured by what pulls
    print(bough.export_video(steady, STATIC / "marionette.webp", **look))


if __name__ == "__main__":
    main()
