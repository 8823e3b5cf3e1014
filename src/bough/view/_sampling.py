"""Which rows of a run are shown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bough.arguments import Array


def thinned(count: int, most: int) -> npt.NDArray[np.int64]:
    """Row numbers from the first to the last, `most` of them or all."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))


def sampled(t: Array, count: int) -> npt.NDArray[np.int64]:
    """The rows nearest to `count` equal steps of time from the first to the last, each once."""
    wanted = np.linspace(t[0], t[-1], count)
    after = np.clip(np.searchsorted(t, wanted), 1, max(1, len(t) - 1))
    nearer = after - ((wanted - t[after - 1]) <= (t[np.minimum(after, len(t) - 1)] - wanted))
    return np.unique(np.clip(nearer, 0, len(t) - 1))
