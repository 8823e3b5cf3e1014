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
  for (auto* x : {&rate_, &phi_, &scale_, &asked_}) x->resize(most);
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

// f(element, instant, first, last) for those of the chosen ones, from `first` to before `last`, that an element has. Features of the
// others are not looked at: most of the time of a contact between shapes is that of the distances of pairs that are apart.
template <class F>
void ContactRows::of_each_element(const std::vector<int>& chosen, F f) {
  for (auto first = chosen.begin(), last = first; first != chosen.end(); first = last) {
    const Unilateral* element = places_[*first].element;
    ContactInstant at = instant_of(*first);
    while (last != chosen.end() && places_[*last].element == element) ++last;
    const double* features = at.features;
    const bool narrowed = features && element->has_features();
    const auto ask = [&](auto feature) {
      for (auto i = first; i != last; ++i) asked_[places_[*i].of_element] = feature(places_[*i].of_element);
    };
    if (narrowed) ask([&](int i) { return features[i]; });
    if (narrowed) at.features = asked_.data();
    f(*element, at, first, last);
    if (narrowed) ask([](int) { return 0.0; });
  }
}

// The rows that an element is to write.
template <class Chosen>
void ContactRows::clear(const Unilateral& element, const ContactInstant& at, Chosen first, Chosen last, int rows) {
  const std::size_t size = static_cast<std::size_t>(rows) * model_.n_variables;
  if (at.features != asked_.data())
    std::fill_n(scratch_.begin(), element.contacts() * size, 0.0);
  else
    for (; first != last; ++first) std::fill_n(scratch_.begin() + places_[*first].of_element * size, size, 0.0);
}

void ContactRows::gaps(const std::vector<int>& chosen, double* phi, double* scale) {
  of_each_element(chosen, [&](const Unilateral& element, const ContactInstant& at, auto first, auto last) {
    gap(element, at, phi_.data(), scale_.data());
    for (; first != last; ++first) {
      phi[*first] = phi_[places_[*first].of_element];
      scale[*first] = scale_[places_[*first].of_element];
    }
  });
}

double ContactRows::gap_of(int contact) {
  const ContactPlace& c = places_[contact];
  c.element->value(instant_of(contact), phi_.data(), scale_.data());
  return phi_[c.of_element];
}

void ContactRows::normals(const std::vector<int>& chosen, double* J, double* rate) {
  const std::size_t n = model_.n_variables;
  int row = 0;
  of_each_element(chosen, [&](const Unilateral& element, const ContactInstant& at, auto first, auto last) {
    clear(element, at, first, last, 1);
    element.gradient(at, scratch_.data());
    element.rate(instant(), rate_.data());
    for (; first != last; ++first) {
      const ContactPlace& c = places_[*first];
      std::copy_n(scratch_.begin() + c.of_element * n, n, J + row * n);
      rate[row] = rate_[c.of_element];
      row += c.rows;
    }
  });
}

void ContactRows::tangents(const std::vector<int>& chosen, double* J, double* rate) {
  const std::size_t n = model_.n_variables;
  int row = 0;
  of_each_element(chosen, [&](const Unilateral& element, const ContactInstant& at, auto first, auto last) {
    const int tangents = element.tangents();
    if (tangents > 0) {
      clear(element, at, first, last, tangents);
      element.tangent(at, scratch_.data());
      element.slide(instant(), rate_.data());
    }
    for (; first != last; ++first) {
      const ContactPlace& c = places_[*first];
      std::copy_n(scratch_.begin() + c.of_element * tangents * n, tangents * n, J + (row + 1) * n);
      std::copy_n(rate_.begin() + c.of_element * tangents, tangents, rate + row + 1);
      row += c.rows;
    }
  });
}

}  // namespace bough
