"""States, trajectories, and what a motion starts from and is driven by."""
