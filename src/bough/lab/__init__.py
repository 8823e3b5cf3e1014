"""`bough lab`: lessons with sliders, a moving picture and plots, after the papers."""

from bough.lab.lesson import Curve, Lesson, Shown, Slider
from bough.lab.lessons import LESSONS
from bough.lab.page import Lab, open_lab

__all__ = ["LESSONS", "Curve", "Lab", "Lesson", "Shown", "Slider", "open_lab"]
