#include "bough/dynamics/contact_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bough/dynamics/gaps.hpp"
#include "bough/tree/sweep.hpp"

namespace bough {

ContactRows::ContactRows(const Model& model) : model_(model) {
  std::vector<bool> read(model.joints.size());
  int first = 0, most = 0;
  for (const auto& e : model.elements.unilaterals) {
    const int rows = 1 + e->tangents();
    for (int i = 0; i < e->contacts(); ++i, first += rows)
      places_.push_back({e.get(), i, first, rows, e->friction(i), e->restitution(i), e->bound(i), e->has_features(),
                         e->one_by_one()});
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
  q_here_.resize(model.width());
  if (std::any_of(places_.begin(), places_.end(), [](const ContactPlace& c) { return c.featured || c.one_by_one; }))
    touched_.resize(places_.size());
}

void ContactRows::set(double t, const double* q) {
  t_ = t;
  q_ = q;
  if (read_.empty()) return;
  const std::size_t size = q_here_.size() * sizeof(double);
  if (here_ > 0 && std::memcmp(q, q_here_.data(), size) == 0) return;
  std::memcpy(q_here_.data(), q, size);
  ++here_;
  if (adopt(q)) return;
  set_parameters(model_, parameters_, q, read_.back() + 1);
  for (const int i : read_) {
    const Joint& joint = model_.joints[i];
    JointState& x = poses_[i + 1];
    place_joint(joint, poses_[joint.parent].g, parameters_, i, x.g, x.J);
  }
}

bool ContactRows::adopt(const double* q) {
  source_ = nullptr;
  for (const ContactRows* other : others_) {
    if (other->here_ == 0 || std::memcmp(q, other->q_here_.data(), q_here_.size() * sizeof(double)) != 0) continue;
    source_ = other;
    source_here_ = other->here_;
    for (const int i : read_) {
      poses_[i + 1].g = other->poses_[i + 1].g;
      poses_[i + 1].J = other->poses_[i + 1].J;
    }
    return true;
  }
  return false;
}

const Unilateral::Touch& ContactRows::touched(int contact) {
  Touched& out = touched_[contact];
  const double feature = this->feature(contact);
  if (out.here == here_ && out.feature == feature) return out.at;
  if (source_ && source_->here_ == source_here_) {
    const Touched& from = source_->touched_[contact];
    if (from.here == source_here_ && from.feature == feature) {
      out = from;
      out.here = here_;
      return out.at;
    }
  }
  const ContactPlace& c = places_[contact];
  c.element->touch(instant_of(contact), c.of_element, out.at);
  out.feature = feature;
  out.here = here_;
  return out.at;
}

// Of a contact that is asked for alone.
void ContactRows::gap_at(int contact, double* phi, double* scale) {
  const bool any = touches_anywhere(contact);
  phi[contact] = any ? touched(contact).phi : HUGE_VAL;
  scale[contact] = any ? touched(contact).scale : 1.0;
}

void ContactRows::gaps(double* phi, double* scale) {
  const Unilateral* last = nullptr;
  for (int i = 0; i < contacts(); ++i) {
    const ContactPlace& c = places_[i];
    if (featured(c)) {
      gap_at(i, phi, scale);
    } else if (c.element != last) {
      c.element->value(instant_of(i), phi + i, scale + i);
      last = c.element;
    }
    scale[i] = std::max(scale[i], least_gap_scale);
  }
}

void ContactRows::gaps_of(const std::vector<int>& chosen, double* phi, double* scale) {
  const Unilateral* last = nullptr;
  for (const int i : chosen) {
    const ContactPlace& c = places_[i];
    if (alone(c)) {
      gap_at(i, phi, scale);
    } else if (c.element != last) {
      c.element->value(instant_of(i), phi + i - c.of_element, scale + i - c.of_element);
      last = c.element;
    }
    scale[i] = std::max(scale[i], least_gap_scale);
  }
}

double ContactRows::gap_of(int contact) {
  const ContactPlace& c = places_[contact];
  if (alone(c)) return touches_anywhere(contact) ? touched(contact).phi : HUGE_VAL;
  c.element->value(instant_of(contact), phi_.data(), scale_.data());
  return phi_[c.of_element];
}

void ContactRows::add_rows(int contact, double* normal, double* tangents) {
  const ContactPlace& c = places_[contact];
  const std::size_t n = model_.n_variables;
  if (normal) std::fill_n(normal, n, 0.0);
  if (tangents) std::fill_n(tangents, (c.rows - 1) * n, 0.0);
  if (!touches_anywhere(contact)) return;
  c.element->add_rows(instant_of(contact), c.of_element, touched(contact), normal, tangents);
}

void ContactRows::set_rows(const std::vector<int>& chosen, bool normal, bool tangential, double* J, double* rate) {
  const std::size_t n = model_.n_variables;
  const Unilateral* last = nullptr;
  for (const int i : chosen) {
    const ContactPlace& c = places_[i];
    const int tangents = tangential ? c.rows - 1 : 0, contacts = c.element->contacts();
    double* const across = J + n;
    if (alone(c)) {
      add_rows(i, normal ? J : nullptr, tangents > 0 ? across : nullptr);
      if (normal) rate[0] = 0.0;
      std::fill_n(rate + 1, tangents, 0.0);
    } else {
      double *const normals = scratch_.data(), *const others = normals + contacts * n;
      double *const rates = rate_.data(), *const slides = rates + contacts;
      if (c.element != last) {
        last = c.element;
        if (normal) {
          std::fill_n(normals, contacts * n, 0.0);
          last->gradient(instant_of(i), normals);
          last->rate(instant(), rates);
        }
        if (tangents > 0) {
          std::fill_n(others, contacts * tangents * n, 0.0);
          last->tangent(instant_of(i), others);
          last->slide(instant(), slides);
        }
      }
      if (normal) {
        std::copy_n(normals + c.of_element * n, n, J);
        rate[0] = rates[c.of_element];
      }
      std::copy_n(others + c.of_element * tangents * n, tangents * n, across);
      std::copy_n(slides + c.of_element * tangents, tangents, rate + 1);
    }
    J += c.rows * n;
    rate += c.rows;
  }
}

}  // namespace bough
