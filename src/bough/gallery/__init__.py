"""Systems to start from: those of the papers and classics of mechanics, each a function that gives a `System`."""

from bough.gallery.scissor_lift import scissor_lift, scissor_lift_angle

__all__ = ["scissor_lift", "scissor_lift_angle"]
