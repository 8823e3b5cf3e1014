"""Which frames of a scene move together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.view.scene import Scene

SAME = 1e-6  # relative difference allowed between the motions of two frames of one link


def links(scene: Scene) -> npt.NDArray[np.int64]:
    """For each frame that is drawn, the first frame of its link."""
    q = scene.model._samples(2)
    before, after = scene.poses(q)
    motion = (after @ np.linalg.inv(before)).reshape(len(before), 16)
    rounded = np.round(motion / (SAME * max(1.0, float(np.abs(motion).max()))))
    _, first, which = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[which.reshape(-1)])
