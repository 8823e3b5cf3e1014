"""Potentials of masses: gravity of chosen masses, and attraction by the inverse square."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bough import validate
from bough.description.element import Element, Names, Potential, Record, check_ends, check_single
from bough.description.frame import Frame
from bough.errors import ModelError

NEWTON = 6.67430e-11  # m^3 / (kg s^2)


@dataclass(frozen=True, eq=False, repr=False)
class Gravity(Potential):
    """Uniform gravity on chosen masses, in addition to the gravity of the system.

    V = -sum mass vector . x over the centres of mass x. In a system with `gravity=None` it gives each mass a
    gravity of its own; with the negative of the system's gravity it takes the weight of the chosen masses
    away.

    Parameters
    ----------
    vector : three numbers
        The acceleration in world axes, m/s^2.
    frames : several Frame or str, or one, or None
        The frames whose masses are meant: what was given to the frame itself as `mass` and `com`, not what
        its children carry. None is every frame with a mass.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("balloon")
    >>> basket = system.world.tz("height", name="basket", mass=1.0)
    >>> weightless = system.add(bough.Gravity((0, 0, 9.81), basket))
    >>> float(system.build().potential_energy({"height": 2.0}))
    0.0
    """

    vector: tuple[float, float, float]
    frames: Sequence[Frame | str] | Frame | str | None = None
    frame_fields = ("frames",)

    def __post_init__(self) -> None:
        super().__post_init__()
        vector = validate.array(
            self.vector, ((3,),), "vector", self._text(), "3 numbers, such as (0, 0, -9.81)"
        )
        self._set("vector", tuple(vector.tolist()))
        frames: Any = self.frames
        if frames is None:
            return
        self._set("frames", (frames,) if isinstance(frames, Frame | str) else _several(frames, self))

    def record(self, names: Names) -> Record:
        chosen = (
            self.frames if self.frames is not None else [f for f in names.frames if _mass(names, f) != 0.0]
        )
        indices, values = [], list(self.vector)
        for frame in chosen:  # type: ignore[union-attr]
            indices.append(names.frames[str(frame)])
            values += [_checked_mass(names, str(frame), self), *names.coms[indices[-1]]]
        return "Gravity", indices, [], [], values

    def _check_bound(self) -> None:
        seen: set[object] = set()
        for frame in self.frames or ():  # type: ignore[union-attr]
            if frame in seen:
                raise ModelError(
                    asked=f"frame {frame!r} in field 'frames' of {self._text()}",
                    found="this frame is named twice",
                    do="name each frame once",
                )
            seen.add(frame)


@dataclass(frozen=True, eq=False, repr=False)
class CentralGravity(Potential):
    """Attraction by the inverse square of the distance.

    Between the masses of two frames, V = -constant m_a m_b / r with r the distance of their centres of mass;
    or, with `mu`, of the mass of b towards the origin of frame a, which needs no mass: V = -mu m_b / r. The
    energy has no lower bound: bodies that meet end the simulation.

    Parameters
    ----------
    a, b : Frame or str
    mu : float or None
        m^3/s^2, not negative: the gravitational constant times the mass at a.
    constant : float or None
        m^3/(kg s^2), not negative; without it and without `mu`, 6.67430e-11.

    Examples
    --------
    >>> import bough
    >>> system = bough.System("satellite", gravity=None)
    >>> body = system.world.tx("x").ty("y", name="satellite", mass=500.0)
    >>> earth = system.add(bough.CentralGravity("world", body, mu=3.986004418e14))
    """

    a: Frame | str
    b: Frame | str
    mu: float | None = None
    constant: float | None = None
    frame_fields = ("a", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_single(self)
        if self.mu is not None and self.constant is not None:
            raise ModelError(
                asked=f"mu={validate.shown(self.mu)} in {self._text()}",
                found=f"constant={validate.shown(self.constant)} as well: both say how strong the attraction is",
                do="give mu for the pull of a point, or constant for that between two masses",
            )
        if self.mu is not None:
            self._set("mu", validate.not_negative(self.mu, "mu", self._text(), "m^3/s^2"))
        elif self.constant is not None:
            constant = validate.not_negative(self.constant, "constant", self._text(), "m^3/(kg s^2)")
            self._set("constant", constant)

    def record(self, names: Names) -> Record:
        a, b = str(self.a), str(self.b)
        ends = [names.frames[a], names.frames[b]]
        strength, points = _checked_mass(names, b, self), [[0.0] * 3, list(names.coms[ends[1]])]
        if self.mu is not None:
            strength *= self.mu
        else:
            strength *= _checked_mass(names, a, self) * (NEWTON if self.constant is None else self.constant)
            points[0] = list(names.coms[ends[0]])
        return "CentralGravity", ends, [], [], [strength, *points[0], *points[1]]

    def _check_bound(self) -> None:
        check_ends(self, self.a, self.b)


def _several(frames: Any, element: Element) -> tuple[Frame | str, ...]:
    if not isinstance(frames, Sequence) or not all(isinstance(frame, Frame | str) for frame in frames):
        raise ModelError(
            asked=f"frames={validate.shown(frames)} in {element._text()}",
            found="neither a frame nor a list of frames",
            do="give frames, or their names as strings, in a list",
        )
    if not frames:
        raise ModelError(
            asked=f"frames={validate.shown(frames)} in {element._text()}",
            found="no frame is chosen",
            do="name one or more frames, or leave frames out to choose every frame with a mass",
        )
    return tuple(frames)


def _mass(names: Names, frame: str) -> float:
    return names.masses[names.frames[frame]]


def _checked_mass(names: Names, frame: str, element: Element) -> float:
    mass = _mass(names, frame)
    if mass == 0.0:
        raise ModelError(
            asked=f"frame {frame!r} in {element._text()}",
            found="this frame has no mass of its own",
            do="name the frame that was given the mass, or give this one a mass",
        )
    return mass
