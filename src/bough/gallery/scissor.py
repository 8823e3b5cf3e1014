"""A hanging scissor lift: [JM09] section VI.C, Fig. 9-13, and its exact motion as a single oscillator."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.description.start import Start
from bough.description.system import System
from bough.elements.constraints import PointConstraint
from bough.gallery._parts import PLANE, count

Array = npt.NDArray[np.float64]


def scissor_lift(
    segments: int = 5,
    *,
    theta: float = 0.6,
    length: float = 1.0,
    link_mass: float = 1.0,
    slider_mass: float = 1.0,
    inertia: float = 0.01,
    gravity: float = 9.81,
) -> System:
    """Pairs of crossed links that hang from a pin and a slider: many loops, one degree of freedom.

    Link `a1` hangs from a pin at the origin, `b1` from a slider on the x axis, and they are pinned at their
    middles; the lower end of `a1` carries `b2`, that of `b1` carries `a2`, and so on. The tree runs down the
    links a1, b2, a3, ... with the other link of each segment hinged at their middles, so that each loop is
    closed by a pin between neighbours: two rows for each segment but the last, and one for the slider.
    `theta` is the angle of the first link from the horizontal; at theta = pi/2 all links lie on one line and
    the constraints lose their rank.

    Parameters
    ----------
    segments : int
        Pairs of links.
    theta : float
        The angle of the start, at rest, between 0 and pi. The lift swings about pi/2.
    length, link_mass, inertia, slider_mass : float
        Of each link: length, mass at its middle, moment of inertia about it; and the mass of the slider.
    gravity : float
        Downwards, m/s^2.
    """
    segments = count(segments, "segments", "scissor_lift")
    system = System("scissor_lift", gravity=(0.0, 0.0, -gravity))
    fold = np.pi - 2.0 * theta  # from a link that points to the right to one that points to the left
    end, bottom = system.world, None
    q = {}
    for n in range(1, segments + 1):
        spine, crossing = ("a", "b") if n % 2 == 1 else ("b", "a")
        turned = fold if n % 2 == 1 else -fold
        q[_angle(spine, n)] = theta if n == 1 else -turned
        q[_angle(crossing, n)] = turned
        link = end.ry(_angle(spine, n))
        middle = link.tx(length / 2, name=f"{spine}{n}", mass=link_mass, inertia=(0.0, inertia, inertia))
        other = middle.ry(
            _angle(crossing, n), name=f"{crossing}{n}", mass=link_mass, inertia=(0.0, inertia, inertia)
        )
        top = other.tx(
            -length / 2, name="slider" if n == 1 else f"top{n}", mass=slider_mass if n == 1 else 0.0
        )
        if bottom is None:
            system.add(PointConstraint(top, system.world, axis=(0, 0, 1), name="rail"))
        else:
            system.add(PointConstraint(bottom, top, axes=PLANE, name=f"pin{n}"))
        bottom = other.tx(length / 2, name=f"bottom{n}")
        end = link.tx(length)
    system.start = Start(q=q, duration=10.0)
    return system


def _angle(link: str, n: int) -> str:
    """The name of the variable of a link."""
    return "theta" if (link, n) == ("a", 1) else f"{link}{n}"


def scissor_lift_angle(
    t: npt.ArrayLike,
    segments: int = 5,
    *,
    theta: float = 0.6,
    length: float = 1.0,
    link_mass: float = 1.0,
    slider_mass: float = 1.0,
    inertia: float = 0.01,
    gravity: float = 9.81,
) -> Array:
    """The exact angle theta(t) of a lift that starts at rest, to round-off at all times.

    With x = pi/2 - theta the Lagrangian is M(x) x'^2 / 2 + C cos x, see docs/theory/errata.md. The energy of
    the start at x = a gives, with sin(x/2) = sin(a/2) sin(s),

        dt/ds = sqrt(M(x) / C) / cos(x/2)

    a smooth periodic function of s: its Fourier series is integrated term by term, and t(s) inverted.

    Examples
    --------
    >>> import bough
    >>> from bough import gallery
    >>> run = bough.simulate(gallery.scissor_lift(5).build(), duration=0.5, dt=0.001)
    >>> bool(abs(run["theta"][-1] - gallery.scissor_lift_angle(0.5, 5)) < 1e-4)
    True
    """
    amplitude = np.pi / 2 - theta
    k = np.sin(amplitude / 2)
    middles = np.arange(1, segments + 1) - 0.5
    C = 2.0 * link_mass * gravity * length * middles.sum()

    def dt_ds(s: Array) -> Array:
        x = 2.0 * np.arcsin(k * np.sin(s))
        down, across = np.sin(x) ** 2, np.cos(x) ** 2
        links = 2.0 * (
            link_mass * length**2 * (down * (middles**2).sum() + across * segments / 4) + inertia * segments
        )
        M = links + slider_mass * length**2 * across
        return np.asarray(np.sqrt(M / C) / np.cos(x / 2))

    series = _fourier(dt_ds)
    order = 2.0 * np.arange(1, len(series))  # the function has period pi

    def time(s: Array) -> Array:
        """The time from s = 0, the passage downwards through pi/2."""
        return np.asarray(series[0] * s + np.sin(np.multiply.outer(s, order)) @ (series[1:] / order))

    quarter = series[0] * np.pi / 2
    since = np.remainder(np.asarray(t, dtype=np.float64) + quarter, 4.0 * quarter)
    s = since / series[0]
    for _ in range(60):
        change = (time(s) - since) / dt_ds(s)
        s = s - change
        if np.abs(change).max(initial=0.0) < 1e-15 * 2.0 * np.pi:
            break
    return np.asarray(np.pi / 2 - 2.0 * np.arcsin(k * np.sin(s)))


def _fourier(function: object) -> Array:
    """The cosine coefficients in 2s of an even function of period pi, as many as round-off leaves."""
    count = 32
    while True:
        values = function(np.pi * np.arange(count) / count)  # type: ignore[operator]
        series: Array = np.fft.rfft(values).real / count
        series[1:] *= 2.0
        if np.abs(series[-4:]).max() < 1e-17 * np.abs(series[0]) * count or count >= 1 << 16:
            return series[: count // 2]
        count *= 2
