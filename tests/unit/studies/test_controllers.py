"""Controllers and prescribed motions: as axes of a study, and with a memory."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import bough
from support.studies import AB, ARM, LOOP, Held, Integral, climbing, constant


def test_a_controller_with_a_memory_starts_anew_in_each_run(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem = bough.Problem(ARM, {"shoulder": 1.0}, u=Integral(20.0), duration=0.5)
    axes = {"q.shoulder": [0.4, 0.8, 0.4]}
    alone = problem.replace(q={"shoulder": 0.4}).run()
    assert alone.u[0, 0] != alone.u[10, 0] != 0.0
    study = bough.ensemble(problem, axes)
    assert (study.q[0] == alone.q).all()
    assert (study.q[2] == alone.q).all()
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        assert bough.ensemble(problem, axes, executor=processes).q.tobytes() == study.q.tobytes()
    stored = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    again = bough.ensemble(
        problem, axes, store=tmp_path / "s.zarr"
    )  # the memory makes no other problem of it
    assert again.q.tobytes() == stored.q.tobytes() == study.q.tobytes()
    with ThreadPoolExecutor(2) as threads, pytest.raises(bough.BoughError) as caught:
        bough.ensemble(problem, axes, executor=threads)
    assert "a controller with a memory" in caught.value.found


def test_controllers_are_an_axis(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    problem = bough.Problem(ARM, {"shoulder": 1.0}, duration=0.3)
    controllers = [constant(2.0), Integral(20.0), {"torque": 1.5}, [0.5], np.cos]
    axes = {"u": controllers, "parameter.load": [0.5, 1.0]}
    study = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    assert study.failed == []
    for i, u in enumerate(controllers):
        run = bough.simulate(ARM.with_parameters(load=1.0), {"shoulder": 1.0}, u=u, duration=0.3)
        assert (study.q[i, 1] == run.q).all()
    again = bough.ensemble(problem, axes, store=tmp_path / "s.zarr")
    assert again.q.tobytes() == study.q.tobytes()
    with pytest.raises(bough.BoughError, match="other axes or samples"):
        bough.ensemble(problem, {**axes, "u": [constant(3.0), *controllers[1:]]}, store=tmp_path / "s.zarr")
    with pytest.raises(bough.ModelError, match="'u' gives all of them"):
        bough.ensemble(problem, {"u": controllers, "u.torque": [1.0]})
    with ProcessPoolExecutor(1) as executor, pytest.raises(bough.BoughError, match="axis 'u' of an ensemble"):
        bough.ensemble(problem, {"u": [Held()]}, executor=executor)


LEFT = """
import bough
system = bough.System("arm")
system.world.ry("a").tz(-1.0, mass=1.0)
system.add(bough.ConfigurationForce("a", "torque"))
problem = bough.Problem(system.build(), duration=0.1, dt=0.01)
study = bough.ensemble(problem, {"u": [lambda t, state: [1.0]]})
print(study.to_xarray().sizes["u"], study._repr_html_().count(">u</td>"))
"""


def test_a_study_of_controllers_is_collected() -> None:
    """A function of a program holds the program's names, the study among them: nothing of it is left at the end."""
    pytest.importorskip("xarray")
    tells = {**os.environ, "BOUGH_LEAKS": "1"}
    made = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, check=True, env=tells)
    assert made.stdout == "1 1\n"
    assert "leaked" not in made.stderr


def test_prescribed_motions_are_an_axis() -> None:
    problem = bough.Problem(LOOP, AB[0], duration=0.2)
    motions = [{"height": climbing}, {"height": np.zeros(21)}]
    study = bough.ensemble(problem, {"k": motions})
    assert study.failed == []
    for i, k in enumerate(motions):
        assert (study.q[i] == bough.simulate(LOOP, AB[0], k=k, duration=0.2).q).all()
