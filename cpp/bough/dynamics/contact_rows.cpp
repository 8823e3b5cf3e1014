#include "bough/dynamics/contact_rows.hpp"

#include <algorithm>

#include "bough/dynamics/gaps.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

ContactRows::ContactRows(const Model& model) : model_(model) {
  std::vector<bool> read(model.joints.size());
  int first = 0, most = 0;
  for (const auto& e : model.elements.unilaterals) {
    const int rows = 1 + e->tangents();
    for (int i = 0; i < e->contacts(); ++i, first += rows)
      places_.push_back({e.get(), i, first, rows, e->friction(i), e->restitution(i), e->bound(i)});
    most = std::max(most, e->contacts() * rows);
    const Support support = e->support(model);
    if (!support.known) read.assign(read.size(), true);
    for (int slot : support.slots)
      for (; slot > 0; slot = model.joints[slot - 1].parent) read[slot - 1] = true;
  }
  for (int i = 0; i < model.n(); ++i)
    if (read[i]) read_.push_back(i);
  parameters_.fit(model);
  poses_.resize(model.joints.size() + 1);
  poses_[0] = {Pose::identity(), Twist::zero(), Twist::zero(), Twist::zero()};
  scratch_.resize(static_cast<std::size_t>(most) * model.n_variables);
  for (auto* x : {&rate_, &phi_, &scale_}) x->resize(most);
}

void ContactRows::set(double t, const double* q) {
  t_ = t;
  q_ = q;
  if (read_.empty()) return;
  set_parameters(model_, parameters_, q);
  for (const int i : read_) {
    const Joint& joint = model_.joints[i];
    JointState& x = poses_[i + 1];
    place_joint(joint, poses_[joint.parent].g, parameters_, i, x.g, x.J);
  }
}

void ContactRows::gaps(double* phi, double* scale) const { gap(instant(), phi, scale); }

double ContactRows::gap_of(int contact) {
  const ContactPlace& c = places_[contact];
  c.element->value(instant_of(contact), phi_.data(), scale_.data());
  return phi_[c.of_element];
}

void ContactRows::normals(const std::vector<int>& chosen, double* J, double* rate) {
  const std::size_t n = model_.n_variables;
  const Unilateral* last = nullptr;
  int row = 0;
  for (const int i : chosen) {
    const ContactPlace& c = places_[i];
    if (c.element != last) {
      last = c.element;
      std::fill_n(scratch_.begin(), last->contacts() * n, 0.0);
      last->gradient(instant_of(i), scratch_.data());
      last->rate(instant(), rate_.data());
    }
    std::copy_n(scratch_.begin() + c.of_element * n, n, J + row * n);
    rate[row] = rate_[c.of_element];
    row += c.rows;
  }
}

void ContactRows::tangents(const std::vector<int>& chosen, double* J, double* rate) {
  const std::size_t n = model_.n_variables;
  const Unilateral* last = nullptr;
  int row = 0;
  for (const int i : chosen) {
    const ContactPlace& c = places_[i];
    const int tangents = c.rows - 1;
    if (tangents > 0 && c.element != last) {
      last = c.element;
      std::fill_n(scratch_.begin(), last->contacts() * tangents * n, 0.0);
      last->tangent(instant_of(i), scratch_.data());
      last->slide(instant(), rate_.data());
    }
    std::copy_n(scratch_.begin() + c.of_element * tangents * n, tangents * n, J + (row + 1) * n);
    std::copy_n(rate_.begin() + c.of_element * tangents, tangents, rate + row + 1);
    row += c.rows;
  }
}

}  // namespace bough
