"""Systems to start from: those of the papers and classics of mechanics, as functions."""

from bough.gallery.scissor_lift import scissor_lift, scissor_lift_angle

__all__ = ["scissor_lift", "scissor_lift_angle"]
