"""Broken URDF and MJCF files give a system, a ParseError or a ModelError, and nothing else."""

from __future__ import annotations

import resource
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import bough
from bough import BoughWarning
from bough.io.mjcf import load_mjcf
from bough.io.urdf import load_urdf
from support.mutations import mutated

URDF = """\
<?xml version="1.0"?>
<!-- an arm -->
<robot name="arm">
  <material name="blue"><color rgba="0 0 0.8 1"/></material>
  <link name="base">
    <visual><geometry><mesh filename="package://arm/base.stl" scale="1 1 1"/></geometry></visual>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial>
    <visual>
      <origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry><material name="blue"/>
    </visual>
    <collision><geometry><sphere radius="0.5"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="elbow" type="prismatic"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 1" rpy="0 0 1"/><axis xyz="1 1 0"/>
    <mimic joint="shoulder" multiplier="2" offset="0.1"/></joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/></joint>
</robot>
"""
MJCF = """\
<mujoco model="arm">
  <compiler angle="radian" meshdir="meshes"/>
  <option gravity="0 0 -9.81" timestep="0.01"/>
  <default><joint damping="0.1" armature="0.01"/><geom rgba="1 0 0 1" density="500"/></default>
  <asset><material name="m" rgba="1 0 0 1"/><mesh name="tri" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <site name="nail" pos="0 0 2"/>
    <body name="a" pos="0 0 1"><joint name="a1" axis="0 1 0" stiffness="2" range="-1 1" limited="true"/>
      <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05" material="m"/><site name="tip" pos="0 0 -1"/>
      <body name="b" pos="0 0 -1" euler="0.1 0.2 0.3">
        <joint name="b1" type="ball"/><geom type="mesh" mesh="tri"/>
        <inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/></body></body>
    <body name="c"><freejoint name="c1"/><geom type="box" size="0.1 0.2 0.3"/></body>
    <replicate count="3" offset="1 0 0"><body><joint type="slide"/><geom size="0.1"/></body></replicate>
  </worldbody>
  <tendon><spatial name="t" stiffness="3"><site site="nail"/><site site="tip"/></spatial>
    <fixed name="f"><joint joint="a1" coef="2"/></fixed></tendon>
  <equality><connect body1="b" body2="c" anchor="0 0 0"/><weld body1="a" body2="c"/>
    <joint joint1="a1" polycoef="0 1 0 0 0"/><tendon tendon1="f"/></equality>
  <actuator><motor joint="a1"/></actuator>
</mujoco>
"""
FORMATS = [
    pytest.param(load_urdf, URDF, ".urdf", id="urdf"),
    pytest.param(load_mjcf, MJCF, ".xml", id="mjcf"),
]


def broken(
    load: Callable[..., bough.System], text: str, suffix: str, seeds: range, folder: Path
) -> tuple[int, int]:
    """How many of the files loaded, and how many errors named a line."""
    pytest.importorskip("yourdfpy" if suffix == ".urdf" else "mujoco")
    file = folder / f"broken{suffix}"
    loaded = placed = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds:
            file.write_bytes(mutated(text, seed).encode("utf-8", "surrogatepass"))
            try:
                assert isinstance(load(file), bough.System)
                loaded += 1
            except bough.ParseError as error:
                placed += error.line is not None
            except bough.ModelError:
                pass
            except Exception as error:
                raise AssertionError(f"seed {seed}") from error
    return loaded, placed


@pytest.mark.parametrize(("load", "text", "suffix"), FORMATS)
def test_the_text_itself_loads(load: Callable[..., bough.System], text: str, suffix: str, tmp_path: Path):
    pytest.importorskip("yourdfpy" if suffix == ".urdf" else "mujoco")
    file = tmp_path / f"whole{suffix}"
    file.write_text(text)
    with pytest.warns(BoughWarning):
        load(file).build()


@pytest.mark.parametrize(("load", "text", "suffix"), FORMATS)
def test_a_few_broken_files(load: Callable[..., bough.System], text: str, suffix: str, tmp_path: Path):
    loaded, placed = broken(load, text, suffix, range(300), tmp_path)
    assert loaded > 10
    assert placed > 150


@pytest.mark.verify
@pytest.mark.parametrize(("load", "text", "suffix"), FORMATS)
def test_many_broken_files(load: Callable[..., bough.System], text: str, suffix: str, tmp_path: Path):
    broken(load, text, suffix, range(1000, 4000), tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    broken(load, text, suffix, range(4000, 51_000), tmp_path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB
