"""Pictures of the README and the pages: `make pictures` writes marionette.webp and lab.webp in docs/_static.

The second is a photograph of the first lesson: it needs the package playwright, and Chromium (its path in CHROMIUM
unless it is found).
"""

import os
import shutil
from pathlib import Path

import bough
from bough import gallery
from bough.lab import open_lab

STATIC = Path(__file__).parent / "_static"
SOFTWARE = ("--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def marionette() -> Path:
    walk = bough.simulate(gallery.marionette().build(), k=gallery.marionette_motion("walk"), duration=8.0)
    steady = walk[300:700]  # four seconds, after the start
    look = {"fps": 20.0, "size": (480, 360), "follow": "head", "forces": True}  # coloured by what pulls
    return bough.export_video(steady, STATIC / "marionette.webp", **look)


def lab(program: str) -> Path:
    from io import BytesIO

    from PIL import Image
    from playwright.sync_api import sync_playwright

    with open_lab("energy", browser=False) as shown, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=SOFTWARE)
        page = browser.new_page(viewport={"width": 1200, "height": 620})
        page.goto(shown.url)
        page.wait_for_timeout(10_000)  # for the shaders, and a part of the motion
        picture = Image.open(BytesIO(page.screenshot()))
        browser.close()
    picture.save(STATIC / "lab.webp", quality=70, method=6)
    return STATIC / "lab.webp"


def main() -> None:
    print(marionette())
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("no Chromium is found: lab.webp is left as it is")
    else:
        print(lab(program))


if __name__ == "__main__":
    main()
