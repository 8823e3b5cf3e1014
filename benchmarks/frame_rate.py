"""The demo page in a browser without a graphics card: ``python -m benchmarks.frame_rate [PAGE.html]``.

Counts the pictures that Chromium draws of the walking marionette in each two seconds from the opening of the page: its
start, the middle, the end of the motion and its repetition. Beside the rate stands the processor time that all
processes of the browser take for a picture, since the rate is that of the machine as busy as it is: 30 pictures a
second need at most 33 ms of one processor, or 66 ms of two, as the page and what draws it are processes of their own.
The recording has 30 pictures a second, and without a graphics card a page draws none of them twice: 30 is the most that
there can be.
Needs the package playwright, and Chromium (its path in CHROMIUM unless it is found); Linux only, for /proc.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import bough
from bough import gallery

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WINDOW = {"width": 1280, "height": 720}
SPAN = 2.0  # length of a row of the table, in s
SPANS = 8  # number of rows: the motion takes 10 s, so that the last ones see it repeated

# every picture with its time, its number of draws and the time that the page shows
COUNT = """window.pictures = [];
let draws = 0;
for (const name of ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced']) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...values) { ++draws; draw.apply(this, values); };
}
const tick = () => {
  const bar = document.querySelector("#root [role=slider]");
  if (draws) window.pictures.push([performance.now(), draws, Number(bar?.getAttribute("aria-valuenow") ?? 0)]);
  draws = 0;
  requestAnimationFrame(tick);
};
requestAnimationFrame(tick);"""


def demo_page(folder: Path) -> Path:
    """The page of `make demo`, with the walk alone."""
    run = bough.simulate(gallery.marionette().build(), k=gallery.marionette_motion("walk"))
    return bough.export_html(
        run, folder / "marionette.html", follow="root", plots=["energy", "multiplier"], forces=True
    )


def processor_time() -> float:
    """Seconds that the processes started by this one have taken."""
    children: dict[int, list[tuple[int, int]]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            children.setdefault(int(fields[1]), []).append(
                (int(folder.name), int(fields[11]) + int(fields[12]))
            )
    ticks, found = 0, [os.getpid()]
    for parent in found:
        for process, taken in children.get(parent, ()):
            ticks += taken
            found.append(process)
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(page: Any) -> None:
    """Print a row for every span of time."""
    print("since opening   motion at   pictures/s   draws each   processor time each")
    before, taken = page.evaluate("performance.now()"), processor_time()
    for row in range(SPANS):
        time.sleep(SPAN)
        now, used = page.evaluate("performance.now()"), processor_time()
        drawn = [each for each in page.evaluate("window.pictures") if before < each[0] <= now]
        count = max(len(drawn), 1)
        rate, each = len(drawn) / (now - before) * 1e3, (used - taken) / count * 1e3
        draws, shown = sum(one[1] for one in drawn) / count, drawn[-1][2] if drawn else float("nan")
        print(
            f"{row * SPAN:4.0f} to {(row + 1) * SPAN:2.0f} s {shown:10.1f} s {rate:12.1f} {draws:12.0f} {each:18.0f} ms"
        )
        before, taken = now, used


def main() -> None:
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        file = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else demo_page(Path(folder))
        browser = play.chromium.launch(executable_path=program, args=ARGUMENTS)
        page = browser.new_page(viewport=WINDOW)
        page.add_init_script(COUNT)
        page.goto(file.as_uri())
        page.get_by_role("button", name="Fit").wait_for(timeout=120_000)
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        measure(page)
        browser.close()


if __name__ == "__main__":
    main()
