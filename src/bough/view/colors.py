"""The colours of a picture: those of Okabe and Ito, which colour-blind people can tell apart, and greys."""

from __future__ import annotations

from typing import TypeAlias

Color: TypeAlias = "tuple[float, float, float]"


def _of(text: str) -> Color:
    red, green, blue = (int(text[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
    return (red, green, blue)


BLUE, SKY, GREEN, YELLOW = _of("0072b2"), _of("56b4e9"), _of("009e73"), _of("f0e442")
ORANGE, RED, PURPLE = _of("e69f00"), _of("d55e00"), _of("cc79a7")
DARK, GREY, LIGHT = _of("333b44"), _of("7a8894"), _of("c4ccd4")

#: The colour of each role.
COLORS: dict[str, Color] = {
    "rod": GREY,
    "mass": BLUE,
    "joint": DARK,
    "rail": LIGHT,
    "frame": DARK,
    "string": DARK,
    "plane": SKY,
    "pin": ORANGE,
    "spring": GREEN,
    "damper": PURPLE,
    "beam": YELLOW,
    "wrench": RED,
    "attraction": LIGHT,
    "shape": _of("a9b4bf"),
    "gear": _of("b9c4ce"),
    "surroundings": _of("dfe4e8"),
    "grid": _of("dfe4e8"),
    "gravity": GREY,
}
