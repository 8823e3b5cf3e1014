"""Ensembles: one problem simulated many times, with starts, inputs, parameters or options that vary."""
