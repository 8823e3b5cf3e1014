"""Pictures of models and motions."""

from bough.view.parts import Axes, Between, Camera, Grid, Rigid
from bough.view.scene import Scene

__all__ = ["Axes", "Between", "Camera", "Grid", "Rigid", "Scene"]
