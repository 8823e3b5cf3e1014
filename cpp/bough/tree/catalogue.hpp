// Kinds of elements by name. A kind is one file with its class and a maker; the makers are listed in catalogue.cpp.
#pragma once

#include "bough/tree/unilateral.hpp"

namespace bough {

using PotentialMaker = std::shared_ptr<const Potential> (*)(const ElementRecord&);
using ForceMaker = std::shared_ptr<const Force> (*)(const ElementRecord&);
using ConstraintMaker = std::shared_ptr<const Constraint> (*)(const ElementRecord&);
using UnilateralMaker = std::shared_ptr<const Unilateral> (*)(const ElementRecord&);

// potentials/
std::shared_ptr<const Potential> make_beam_element(const ElementRecord&);
std::shared_ptr<const Potential> make_central_gravity(const ElementRecord&);
std::shared_ptr<const Potential> make_configuration_spring(const ElementRecord&);
std::shared_ptr<const Potential> make_gear_spring(const ElementRecord&);
std::shared_ptr<const Potential> make_gravity(const ElementRecord&);
std::shared_ptr<const Potential> make_linear_spring(const ElementRecord&);
std::shared_ptr<const Potential> make_nonlinear_configuration_spring(const ElementRecord&);
std::shared_ptr<const Potential> make_nonlinear_spring(const ElementRecord&);
std::shared_ptr<const Potential> make_torsion_spring(const ElementRecord&);

// forces/
std::shared_ptr<const Force> make_body_wrench(const ElementRecord&);
std::shared_ptr<const Force> make_configuration_force(const ElementRecord&);
std::shared_ptr<const Force> make_damping(const ElementRecord&);
std::shared_ptr<const Force> make_drag(const ElementRecord&);
std::shared_ptr<const Force> make_hybrid_wrench(const ElementRecord&);
std::shared_ptr<const Force> make_linear_damper(const ElementRecord&);
std::shared_ptr<const Force> make_point_force(const ElementRecord&);
std::shared_ptr<const Force> make_servo(const ElementRecord&);
std::shared_ptr<const Force> make_spatial_wrench(const ElementRecord&);

// constraints/
std::shared_ptr<const Constraint> make_cam_constraint(const ElementRecord&);
std::shared_ptr<const Constraint> make_distance_constraint(const ElementRecord&);
std::shared_ptr<const Constraint> make_linear_constraint(const ElementRecord&);
std::shared_ptr<const Constraint> make_no_slip_constraint(const ElementRecord&);
std::shared_ptr<const Constraint> make_parallel_constraint(const ElementRecord&);
std::shared_ptr<const Constraint> make_point_constraint(const ElementRecord&);
std::shared_ptr<const Constraint> make_weld_constraint(const ElementRecord&);

// contacts/
std::shared_ptr<const Unilateral> make_dry_friction(const ElementRecord&);
std::shared_ptr<const Unilateral> make_joint_limit(const ElementRecord&);
std::shared_ptr<const Unilateral> make_string(const ElementRecord&);
std::shared_ptr<const Unilateral> make_plane_contact(const ElementRecord&);
std::shared_ptr<const Unilateral> make_shape_contact(const ElementRecord&);

// Adds the element of a record; throws std::invalid_argument for an unknown kind.
void add_element(Elements& elements, const ElementRecord& record);

}  // namespace bough
