"""One model through several integrators: what `bough.compare` measures and shows."""
