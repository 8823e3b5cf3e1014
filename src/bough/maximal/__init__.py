"""Maximal coordinates: one free rigid body per link, held together by constraints."""

from bough.maximal._settings import INTEGRATORS
from bough.maximal.engine import MaximalEngine
from bough.motion.body_motion import BodyMotion

__all__ = ["INTEGRATORS", "BodyMotion", "MaximalEngine"]
