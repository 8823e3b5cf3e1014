"""Names come from files of others: wherever they are shown, they are text and nothing else."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner

import bough
from bough.cli import app
from support.browser import Drawn

PORT = 8520
RUN = "window.hostile = 1"  # what must never happen
NAMES = (
    f'<img src=x onerror="{RUN}">',
    f"<script>{RUN}</script>",
    f"{{({RUN})}}",  # an expression of MDX
    f"<Foo bar={{{RUN}}} />",
    f"[link](javascript:{RUN})",
    "![picture](/etc/hostname)",
    "</title></script><!--<script>",
    "$title $table $data $player $figure",
    r"$\frac{1}$ and \$",
    "[/] [bold red]",
    "*a* _b_ `c` | d & e",
    "_hidden",
)
TITLE = f'{NAMES[0]} {NAMES[2]} $player $\\nope$ [/] "</script>'


def chain() -> bough.System:
    """A chain whose variables, frames, inputs, constraint and model have hostile names."""
    system = bough.System(TITLE)
    frame = system.world
    for i, name in enumerate(NAMES):
        frame = frame.ry(name).tz(-0.1, name=f"frame {name}", mass=0.1)
        if i < 3:
            system.add(bough.ConfigurationForce(name, f"force {name}"))
    system.world.tx(0.3, name=f"nail {NAMES[0]}")
    system.add(bough.DistanceConstraint(frame, f"nail {NAMES[0]}", 1.0, name=f"wire {NAMES[0]}"))
    return system


@pytest.fixture(scope="module")
def run() -> bough.Trajectory:
    model = chain().build()
    start = model.assemble(dict.fromkeys(NAMES, 0.05)).q
    return bough.simulate(model, start, duration=0.1, dt=0.01)


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[[str], Drawn]]:
    pages: list[Drawn] = []

    def show(url: str) -> Drawn:
        pages.append(Drawn(browser, url))
        pages[-1].node("/grid")
        return pages[-1]

    yield show
    for page in pages:
        page.close()


def assert_harmless(page: Any, *shown: str) -> None:
    """Nothing of a name has run or became an element, and these texts can be read."""
    for text in shown:
        page.wait_for_function("text => document.body.innerText.includes(text)", arg=text)
    page.wait_for_timeout(300)
    assert page.evaluate("window.hostile") is None
    assert page.locator('img[src="x"], a[href^="javascript"], img[alt="picture"]').count() == 0


def test_a_run_in_the_browser(opened: Callable[[str], Drawn], run: bough.Trajectory) -> None:
    failed = bough.Trajectory(run.model, run.t, run.q, status="failed")
    with bough.view(failed, port=PORT) as viewer:
        page = opened(viewer.url)
        page.page.get_by_text("Plotted variables").click()
        assert_harmless(page.page, ", ".join(NAMES[:3]))  # what is chosen, of more than ten
        page.page.get_by_text("Paths of frames").click()
        box = page.page.get_by_label("Add or remove").first
        box.click()
        page.page.get_by_role("option", name=f"frame {NAMES[0]}").click()
        assert_harmless(page.page, f"frame {NAMES[0]}")
        page.page.get_by_text("Show", exact=True).click()
        page.tick("Names")
        everything = list(run.model.variables)
        viewer._page.do(lambda: viewer.panel._plot_variables(everything))  # type: ignore[union-attr]
        assert_harmless(page.page, TITLE)
        assert page.page.title() == TITLE
        assert page.errors == []


def test_sliders_and_messages_in_the_browser(opened: Callable[[str], Drawn], run: bough.Trajectory) -> None:
    with bough.view(run.model, q=run.q[0], port=PORT) as viewer:
        page = opened(viewer.url)
        assert_harmless(page.page, *NAMES)
        torn = " ".join(NAMES)
        error = bough.BoughError(asked="a step", found=f"{torn} is torn", do=f"mend {torn}")
        viewer._page.do(lambda: viewer._page.failed(error))
        assert_harmless(page.page, f"{torn} is torn: mend {torn}")
        assert page.errors == []


def test_files_in_the_browser(browser: Any, run: bough.Trajectory, tmp_path: Path) -> None:
    """The exported page, the report of a comparison, and what a notebook shows."""
    found = bough.compare(run.model, run.q[0], duration=0.05, dt=0.01, integrators=["midpoint"], effort=0.05)
    pages = [bough.export_html(run, tmp_path / "run.html"), found.save_html(tmp_path / "report.html")]
    for name, shown in (("model", run.model), ("run", run), ("system", chain()), ("comparison", found)):
        pages.append(tmp_path / f"{name}.html")
        pages[-1].write_text(f"<!doctype html><body>{shown._repr_html_()}</body>", encoding="utf-8")
    for path in pages:
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
        page.goto(path.as_uri())
        assert_harmless(page, TITLE)
        for frame in page.frames:
            assert frame.evaluate("window.hostile") is None
        assert errors == []
        page.close()


def test_figures(run: bough.Trajectory) -> None:
    figures = [bough.draw(run.model, labels=True), run.strobe(2), run.plot()]
    for figure in figures:
        figure.savefig(io.BytesIO(), format="png")
        svg = io.StringIO()
        figure.savefig(svg, format="svg")
        assert "<script" not in svg.getvalue()
    named = legend_texts(figures[2])
    assert any("hidden" in text for text in named)
    for figure in figures:
        plt.close(figure)


def legend_texts(figure: Any) -> list[str]:
    legends = [axis.get_legend() for axis in figure.axes]
    return [text.get_text() for legend in legends if legend is not None for text in legend.get_texts()]


def test_the_table_of_check(run: bough.Trajectory, capsys: pytest.CaptureFixture[str]) -> None:
    system = bough.System("[/] [bold]model[/bold]")
    system.world.ry("[/] [red]angle").tz(-1.0, name="[/link]", mass=1.0)
    system.add(bough.ConfigurationSpring("[/] [red]angle", 2.0, name="[/] [bold]spring"))
    bough.check(system.build())
    out = capsys.readouterr().out
    assert "derivatives of [/] [bold]model[/bold]: all" in out
    assert "[/] [bold]spring" in out


@pytest.mark.parametrize("command", ["info", "check", "simulate --duration 0.02", "compare --duration 0.02"])
def test_the_command_line(command: str, tmp_path: Path) -> None:
    path = tmp_path / "chain.sexp"
    bough.save(chain(), path)
    name, *options = command.split()
    more = ["--integrators", "midpoint", "--effort", "0.05"] if name == "compare" else []
    result = CliRunner().invoke(app, [name, str(path), *options, *more])
    assert result.exit_code in (0, 1), result.output
    assert TITLE in result.output


def test_an_error_about_a_file_has_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "terminal.sexp"
    path.write_text('(system (ry "a\x1b]0;title\x07" (tz -1 (mass one))))')
    result = CliRunner().invoke(app, ["info", str(path)])
    assert result.exit_code == 2
    assert "\x1b" not in result.output
    assert "\x07" not in result.output
