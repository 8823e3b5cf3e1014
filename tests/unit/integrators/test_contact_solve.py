"""Systems of steps with contacts whose rows depend on each other."""

from __future__ import annotations

import numpy as np
import pytest

from bough.integrators.contact_solve import solved_by


class Undetermined(Exception):
    """What a caller raises."""


def pressed(rows: np.ndarray) -> np.ndarray:
    """T of two masses under rows that hold their moves."""
    n = len(rows)
    return np.block([[np.diag([2.0, 3.0]), rows.T], [rows, np.zeros((n, n))]])


def test_rows_that_repeat_each_other_leave_the_motion_unique() -> None:
    """The same motion as with one of them, and the load is shared evenly."""
    once, twice = (pressed(np.tile([[1.0, 1.0]], (n, 1))) for n in (1, 2))
    right = np.zeros((4, 3))
    right[:2] = [[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]]
    expected = np.linalg.solve(once, right[:3])
    found = solved_by(twice, right, 2, 1, Undetermined)
    np.testing.assert_allclose(found[:2], expected[:2], atol=1e-14)
    np.testing.assert_allclose(found[2:], np.tile(0.5 * expected[2:], (2, 1)), atol=1e-14)


def test_rows_that_contradict_each_other() -> None:
    """In a column that is no move of the start; in one that is, least squares stand."""
    T = pressed(np.array([[1.0, 1.0], [1.0, 1.0]]))
    right = np.zeros((4, 2))
    right[2:, 0] = [1.0, -1.0]
    found = solved_by(T, right, 2, 1, Undetermined)
    np.testing.assert_allclose(found[:2], 0.0, atol=1e-14)
    with pytest.raises(Undetermined, match="no motion meets all at once"):
        solved_by(T, right, 2, 0, Undetermined)


def test_a_motion_that_is_not_determined() -> None:
    """A variable without mass that no row holds."""
    T = pressed(np.array([[1.0, 0.0]]))
    T[1, 1] = 0.0
    with pytest.raises(Undetermined, match="leave the motion of the step undetermined"):
        solved_by(T, np.zeros((3, 1)), 2, 1, Undetermined)
