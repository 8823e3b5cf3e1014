"""Motion control of free-floating systems: joint motions that reorient or move the whole body."""

from bough.control._planner import plan, reachable_pose, reorient

__all__ = ["plan", "reachable_pose", "reorient"]
