"""What Jupyter shows of a model and a trajectory."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
from PIL import Image

import bough
from support.mechanisms import closed_chain


def cells(page: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]


def picture(page: str) -> Image.Image:
    (data,) = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_a_model_shows_its_picture_and_variables():
    system = bough.System("a <b> & c")
    system.world.tx(bough.kinematic("rail")).ry("angle").tz(-1.0, name="bob", mass=1.5)
    system.add(bough.BodyWrench("bob", fx="thrust"))
    model = system.build()
    page = model._repr_html_()
    assert cells(page) == [
        ["variable", "kind", "unit"],
        ["angle", "dynamic", "rad"],
        ["rail", "kinematic", "m"],
    ]
    assert (
        "<b>a &lt;b&gt; &amp; c</b>: 1 dynamic and 1 kinematic variables, mass 1.5 kg, inputs thrust" in page
    )
    assert len(np.unique(np.asarray(picture(page).convert("RGB")).reshape(-1, 3), axis=0)) > 10
    assert model._repr_png_().startswith(b"\x89PNG")


def test_a_trajectory_shows_instants_and_ranges():
    model = closed_chain()
    run = bough.simulate(model, q=model.assemble().q, duration=0.2, dt=0.01)
    page = run._repr_html_()
    table = cells(page)
    assert table[0] == ["variable", "least", "greatest", "unit"]
    assert [row[0] for row in table[1:]] == list(model.variables)
    assert float(table[1][1]) == float(f"{run['J'].min():.4g}")
    assert "21 instants, t = 0 to 0.2 s, finished; energy" in page
    assert "largest error of a constraint" in page
    assert run._repr_png_().startswith(b"\x89PNG")


def test_no_figure_stays_open():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    closed_chain()._repr_html_()
    assert plt.get_fignums() == before


def test_long_tables_are_cut():
    system = bough.System("chain")
    frame = system.world
    for i in range(33):
        frame = frame.ry(f"q{i}").tz(-0.1, mass=0.1)
    assert cells(system.build()._repr_html_())[-1] == ["... and 3 more"]
