#include "bindings/arrays.hpp"

using namespace bough;

namespace {

template <class T>
auto table(const nb::dict& tables, const char* name) {
  return nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(tables[name]);
}

}  // namespace

// The tables that src/bough/_lower.py writes.
void read_elements(const nb::dict& tables, Model& model) {
  Elements& all = model.elements;
  const auto frame = [&](int index) { return model.frames.at(index); };

  const auto spring_variable = table<int>(tables, "configuration_spring_variable");
  const auto spring_values = table<double>(tables, "configuration_spring_values");
  for (std::size_t k = 0; k < spring_variable.size(); ++k)
    all.configuration_springs.push_back(
        {spring_variable.data()[k], spring_values.data()[2 * k], spring_values.data()[2 * k + 1]});

  const auto linear_frames = table<int>(tables, "linear_spring_frames");
  const auto linear_values = table<double>(tables, "linear_spring_values");
  for (std::size_t k = 0; k < linear_frames.shape(0); ++k)
    all.linear_springs.push_back({frame(linear_frames.data()[2 * k]), frame(linear_frames.data()[2 * k + 1]),
                                  linear_values.data()[2 * k], linear_values.data()[2 * k + 1]});

  const auto damping = table<double>(tables, "damping");
  all.damping.assign(damping.data(), damping.data() + damping.size());

  const auto force_indices = table<int>(tables, "configuration_force_indices");
  const auto force_values = table<double>(tables, "configuration_force_values");
  for (std::size_t k = 0; k < force_indices.shape(0); ++k)
    all.configuration_forces.push_back(
        {force_indices.data()[2 * k], force_indices.data()[2 * k + 1], force_values.data()[k]});

  const auto point_frames = table<int>(tables, "point_constraint_frames");
  const auto point_axes = table<double>(tables, "point_constraint_axes");
  const auto point_rows = table<int>(tables, "point_constraint_rows");
  for (std::size_t k = 0; k < point_frames.shape(0); ++k) {
    const double* axis = point_axes.data() + 3 * k;
    all.point_constraints.push_back({frame(point_frames.data()[2 * k]), frame(point_frames.data()[2 * k + 1]),
                                     Vec3(axis[0], axis[1], axis[2])});
    all.row_order.push_back(point_rows.data()[k]);
  }

  const auto distance_indices = table<int>(tables, "distance_constraint_indices");
  const auto distance_lengths = table<double>(tables, "distance_constraint_lengths");
  const auto distance_rows = table<int>(tables, "distance_constraint_rows");
  for (std::size_t k = 0; k < distance_indices.shape(0); ++k) {
    const int* index = distance_indices.data() + 3 * k;
    all.distance_constraints.push_back({frame(index[0]), frame(index[1]), distance_lengths.data()[k], index[2]});
    all.row_order.push_back(distance_rows.data()[k]);
  }

  all.n_inputs = nb::cast<int>(tables["n_inputs"]);
  all.n_constraints = nb::cast<int>(tables["n_constraints"]);
}
