"""The gallery page with a picture and a player for each system.

Every section of `gallery.md` whose title is a system of the gallery gets a poster; a click puts the player of its run
in its place, so that no page opens twenty 3-D views at once. Posters and players are written into `players/` of the
site when it is built, and again only if the system or bough changed. Grids of all posters open the page.
"""

from __future__ import annotations

import hashlib
import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from matplotlib.text import Text
from sphinx.application import Sphinx
from sphinx.util.display import status_iterator

import bough
from bough import gallery

PAGE = "gallery"
FOLDER = "players"
EXAMPLES = Path(__file__).parents[2] / "examples" / "gallery"
SECONDS = 10.0
# those that travel far, so that what moves stays large, and those that lie still soon
SHORTER = {"block_and_tackle": 3.0, "falling_humanoid": 2.0, "gear_train": 4.0, "quadruped": 4.0}
FOLLOWED = {
    "chaplygin_sleigh": "body",
    "quadruped": "trunk",
    "rimless_wheel": "wheel",
    "rolling_disk": "disk",
}
GROUPS = {
    "Classics": "pendulum spherical_pendulum gyroscope t_handle kepler cart_pole tippe_top rattleback newtons_cradle",
    "Linkages and machines": "closed_chain scissor_lift four_bar slider_crank screw_jack gear_train cam_follower",
    "Cables and strings": "marionette string_marionette cable elastic_cable spatial_cable hanging_cable suspended_load"
    " crane block_and_tackle cable_robot",
    "Bodies and robots": "planar_human humanoid ragdoll satellite_arm falling_humanoid quadruped gripper hopper",
    "Rolling and contact": "rolling_disk chaplygin_sleigh snakeboard trailer rimless_wheel stack dominoes bouncing_box",
}


def player(name: str, what: str) -> str:
    """A poster that a click turns into a player."""
    alt = html.escape(f"{name}: {what}")
    return (
        f'<button class="bough-player" type="button" data-player="{FOLDER}/{name}.html" aria-label="Play {name}">'
        f'<img src="{FOLDER}/{name}.png" alt="{alt}" loading="lazy"><span>Play in 3-D</span></button>'
    )


def card(name: str) -> str:
    picture = f'<img src="{FOLDER}/{name}.card.png" alt="" loading="lazy">'
    return f'<a class="bough-card" href="#{name.replace("_", "-")}">{picture}<span>{name.replace("_", " ")}</span></a>'


def grid(names: set[str]) -> str:
    """A card for each system, in groups; those without a group are the last."""
    groups = {title: [name for name in text.split() if name in names] for title, text in GROUPS.items()}
    rest = names.difference(*groups.values())
    groups |= {"More": sorted(rest)} if rest else {}
    return "".join(
        f'<p class="bough-group">{title}</p><div class="bough-grid">{"".join(map(card, group))}</div>'
        for title, group in groups.items()
    )


def add_players(app: Sphinx, doctree: nodes.document) -> None:
    if app.env.docname != PAGE or app.builder.format != "html":
        return
    names = {entry.name: entry.what for entry in gallery.entries()}
    sections = {section[0].astext(): section for section in doctree.findall(nodes.section)}
    for name in names.keys() & sections.keys():
        sections[name].insert(1, nodes.raw("", player(name, names[name]), format="html"))
    first = next(doctree.findall(nodes.section))
    first.insert(2, nodes.raw("", grid(names.keys() & sections.keys()), format="html"))


def write_players(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    wanted = list(outdated(folder))
    for entry, key in status_iterator(
        wanted, "recording players... ", "brown", len(wanted), app.verbosity, lambda pair: pair[0].name
    ):
        record(entry, folder)
        (folder / f"{entry.name}.key").write_text(key, encoding="utf-8")


def recipe() -> str:
    """A digest of everything that makes pages and pictures."""
    view = Path(bough.__file__).parent / "view"
    files = [
        Path(__file__),
        *sorted(file for file in view.iterdir() if file.suffix in (".py", ".js", ".html")),
    ]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def outdated(folder: Path) -> Iterator[tuple[gallery.Entry, str]]:
    made = recipe()
    for entry in gallery.entries():
        key = f"{made} {bough.__version__} {entry.function().build().digest}"
        file = folder / f"{entry.name}.key"
        if not file.is_file() or file.read_text(encoding="utf-8") != key:
            yield entry, key


def record(entry: gallery.Entry, folder: Path) -> None:
    import matplotlib.pyplot as plt

    model = entry.function().build()
    page = folder / f"{entry.name}.html"
    options: dict[str, Any] = {"title": entry.name, "client": "shared", "progress": False}
    if entry.script:
        scripts = {name: entry.script(name, model.system) for name in entry.motions}
        duration = SHORTER.get(entry.name, SECONDS)
        runs = {name: simulated(model, duration, k=script) for name, script in scripts.items()}
        plots = ["energy", "contact"] if entry.name == "quadruped" else ["energy", "multiplier"]
        follow = FOLLOWED.get(entry.name, "root")
        bough.export_html(runs, page, follow=follow, plots=plots, forces=True, **options)
        run = runs[entry.motions[0]]
    else:
        run = simulated(model, duration=SHORTER.get(entry.name, SECONDS))
        follow = FOLLOWED.get(entry.name)
        bough.export_html(
            run, page, forces=bool(model.gaps), follow=follow, **options
        )  # strings that only pull
    figure = run.strobe()
    figure.savefig(folder / f"{entry.name}.png", dpi=80)
    without_words(figure)
    figure.savefig(folder / f"{entry.name}.card.png", dpi=40)
    plt.close(figure)


def without_words(figure: Any) -> None:
    """Leave what moves: axes, titles and labels are too small to be read on a card."""
    for axis in figure.axes:
        axis.set_axis_off()
        axis.set_title("")
    for text in figure.findobj(Text):
        text.set_visible(False)


def simulated(model: bough.Model, duration: float = SECONDS, **motion: Any) -> bough.Trajectory:
    return bough.simulate(model, duration=duration, progress=False, **motion)


def add_program(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """The reference of a system shows its program, which `make test` runs."""
    module, _, own = name.rpartition(".")
    file = EXAMPLES / f"{own}.py"
    if module == "bough.gallery" and own in gallery.names() and file.is_file():
        code = (f"   {line}".rstrip() for line in file.read_text(encoding="utf-8").splitlines())
        lines += ["", ".. rubric:: Example", "", ".. code-block:: python", "", *code, ""]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", add_players)
    app.connect("build-finished", write_players)
    app.connect(
        "autodoc-process-docstring", add_program, priority=900
    )  # after numpydoc, which reads sections
    return {"parallel_read_safe": True}
