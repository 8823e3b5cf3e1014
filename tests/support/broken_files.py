"""Files of s-expressions with random mistakes in them."""

from __future__ import annotations

import random
import re

TREE = """(let ((L 0.5) (joint "q"))
  (system (name "s") (gravity 0 0 -9.81)
    (tx "x" (name "a") (mass 1 0.1 0.1 0.1) (ry joint tz (- L) (name "b") (mass (* 2 L)) (com 0 0 (/ L 2))))
    (ty (K "k") (name "c") (ratio 2) (offset 0.1) (mass 1) (inertia (1 0 0) (0 1 0) (0 0 1)))
    (fixed ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)) (frame "d"))
    (at "d" (revolute "u" (axis 0 1 0)) (twist (0 0 1 0 0 0) "w"))
    %s))
"""
ELEMENTS = """(damping 0.1)
(damping ("x" 1) ("q" 2))
(gear-constraint ("x" 1) ("q" -2) (offset (K "k")))
(equality-constraint "x" "q" "u")
(point-constaint "a" "b" (1 0 0))
(point-constraint "a" "b" 1 0 0 (name "pin"))
(point-constraint "a" "b" (axes (1 0 0) (0 1 0)) (in-frame "c") (offset 1 (sinusoid 1 2)))
(plane-constraint "a" "b" 0 0 1 (origin 0 0 L) (offset (sinusoid (amplitude 0.1) (frequency 2))))
(line-constraint "a" "b" (axis 1 2 3))
(parallel-constraint "a" "b" (1 0 0) (axis-b 0 1 0))
(weld-constraint "a" "b" (pose (1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))
(distance-constraint "a" "b" (length L))
(cam-constraint "x" "q" (piecewise-polynomial (breaks 0 1 2) (coefficients (0 0 1) (1 2)) (periodic false)))
(screw-constraint "q" "x" (pitch 0.01))
(linear-spring "a" "b" (stiffness 20) (rest-length 0.5))
(nonlinear-spring "a" "b" (table (0.4 -3) (0.5 0)))
(nonlinear-configuration-spring "x" (polynomial 0 -1 0 1))
(torsion-spring "a" "b" 5 0 0 1 -0.1)
(beam-element "a" "b" 1 2 (3 4) 5 (axis 0 0 1))
(body-wrench "b" (fx "thrust") (tx 3))
(point-force "b" (fy "push") (point 0 0 1) (axes "body"))
(drag "b" 0.1 "gust" 0 0)
(configuration-force "x" "motor")
(configuration-spring "k" 2 0.1)
(central-gravity "a" "b" (mu 1))
(gravity (vector 0 0 1) (frames "a" "b"))
(free "hand" (mass 1 1 1 1)) (spherical ("e" "f" "g") planar "h") (helical "i" (pitch 0.1))
(include "part.sexp")
""".splitlines()
BASES = [TREE % element for element in ELEMENTS]

TOKEN = re.compile(r'\s+|"[^"\n]*"|[()]|[^\s()"]+')
ATOMS = [
    "0",
    "1",
    "-1",
    "1e308",
    "-1e-320",
    "1e999",
    "1.2.3",
    "nan",
    '"a"',
    '"x"',
    '"zz"',
    '"#1"',
    '"world"',
    '""',
]
ATOMS += [
    "true",
    "none",
    "pi",
    "L",
    "x",
    "+",
    "-",
    "/",
    "(",
    ")",
    "()",
    '"',
    ";",
    "\\",
    '"\\q"',
    '"\\u{110000}"',
    "“a”",
]
ATOMS += [
    "\0",
    "\n",
    "\t",
    "\xa0",
    "\ud800",
    "é",
    "(K",
    "(D",
    "(list",
    "(map",
    "(let ((a 1))",
    "(system",
    "name",
    "mass",
]
ATOMS += [
    "(tz",
    "(at",
    "(include",
    "(sqrt",
    "(* 1e300",
    "(name",
    "(mass",
    "(sinusoid",
    "(function-force",
    "axis",
    "#|",
]


def broken(seed: int) -> str:
    """A file with one to eight mistakes: items left out, repeated, exchanged, changed, or put in."""
    rng = random.Random(seed)
    tokens = TOKEN.findall(rng.choice(BASES))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        place, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        way = rng.randrange(7)
        if way == 0:
            del tokens[place : place + rng.choice((1, 1, 2, 5, 20))]
        elif way == 1:
            tokens.insert(place, rng.choice(ATOMS))
        elif way == 2:
            tokens[place] = rng.choice(ATOMS)
        elif way == 3:
            tokens[place], tokens[other] = tokens[other], tokens[place]
        elif way == 4:
            tokens[place:place] = tokens[other : other + rng.choice((1, 5, 40))] * rng.choice((1, 1, 3))
        elif way == 5:
            word = tokens[place]
            cut = rng.randrange(len(word) + 1)
            tokens[place] = (
                word[:cut] + chr(rng.choice((40, 41, 34, 32, 46, 45, 97, 0, 0x2603))) + word[cut + 1 :]
            )
        else:
            tokens[place:place] = ["("] * rng.choice((1, 3, 300))
        tokens = tokens or ["("]
    return "".join(tokens)
