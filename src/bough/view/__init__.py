"""Pictures of models and motions."""

from bough.view.draw import draw
from bough.view.parts import Axes, Between, Camera, Grid, Rigid
from bough.view.scene import Scene
from bough.view.video import export_video

__all__ = ["Axes", "Between", "Camera", "Grid", "Rigid", "Scene", "draw", "export_video"]
