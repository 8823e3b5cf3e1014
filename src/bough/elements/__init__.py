"""Potentials, forces and constraints, and the users' own."""
