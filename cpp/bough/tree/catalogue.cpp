#include "bough/tree/catalogue.hpp"

#include <map>
#include <stdexcept>

namespace bough {
namespace {

const std::map<std::string, PotentialMaker> potentials = {
    {"BeamElement", make_beam_element},
    {"CentralGravity", make_central_gravity},
    {"ConfigurationSpring", make_configuration_spring},
    {"GearSpring", make_gear_spring},
    {"Gravity", make_gravity},
    {"LinearSpring", make_linear_spring},
    {"NonlinearConfigurationSpring", make_nonlinear_configuration_spring},
    {"NonlinearSpring", make_nonlinear_spring},
    {"TorsionSpring", make_torsion_spring},
};

const std::map<std::string, ForceMaker> forces = {
    {"BodyWrench", make_body_wrench},
    {"ConfigurationForce", make_configuration_force},
    {"Damping", make_damping},
    {"Drag", make_drag},
    {"HybridWrench", make_hybrid_wrench},
    {"LinearDamper", make_linear_damper},
    {"PointForce", make_point_force},
    {"Servo", make_servo},
    {"SpatialWrench", make_spatial_wrench},
};

const std::map<std::string, ConstraintMaker> constraints = {
    {"CamConstraint", make_cam_constraint},       {"DistanceConstraint", make_distance_constraint},
    {"LinearConstraint", make_linear_constraint}, {"ParallelConstraint", make_parallel_constraint},
    {"PointConstraint", make_point_constraint},   {"Rolling", make_no_slip_constraint},
    {"Skate", make_no_slip_constraint},           {"WeldConstraint", make_weld_constraint},
};

const std::map<std::string, UnilateralMaker> unilaterals = {
    {"DryFriction", make_dry_friction},   {"JointLimit", make_joint_limit},     {"String", make_string},
    {"PlaneContact", make_plane_contact}, {"ShapeContact", make_shape_contact},
};

// Adds the element if its kind is in the table.
template <class Table>
bool add_from(const Table& table, Elements& elements, const ElementRecord& record) {
  const auto found = table.find(record.kind);
  if (found == table.end()) return false;
  elements.add(found->second(record));
  return true;
}

}  // namespace

void add_element(Elements& elements, const ElementRecord& record) {
  if (!add_from(potentials, elements, record) && !add_from(forces, elements, record) &&
      !add_from(constraints, elements, record) && !add_from(unilaterals, elements, record))
    throw std::invalid_argument("no element of kind " + record.kind);
}

}  // namespace bough
