"""Potentials, forces and constraints, built in or written by users."""
