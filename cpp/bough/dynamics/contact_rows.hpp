// The contacts of a model one by one: their gaps, and for some of them their rows over variables, the normal one first, then
// the tangential ones, as (UN1) of tree/unilateral.hpp has them.
#pragma once

#include "bough/tree/unilateral.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

struct ContactPlace {
  const Unilateral* element;
  int of_element;   // its number in the element
  int first, rows;  // in an array over the rows of all contacts
  double friction, restitution;
  double bound;  // of dry friction, which has no gap; negative for a contact
  bool dry() const { return bound >= 0.0; }
};

class ContactRows {
 public:
  explicit ContactRows(const Model& model);

  int contacts() const { return static_cast<int>(places_.size()); }
  int rows() const { return model_.elements.n_contact_rows; }
  const ContactPlace& operator[](int contact) const { return places_[contact]; }

  // Where the functions below evaluate; q must stay as long.
  void set(double t, const double* q);
  // With the features of all contacts; and with those of the element of one contact.
  ContactInstant instant() const { return {{model_, poses_, q_, nullptr, nullptr, t_}, features_}; }
  ContactInstant instant_of(int contact) const {
    ContactInstant at = instant();
    if (features_) at.features += contact - places_[contact].of_element;
    return at;
  }
  // The features of all contacts that they are taken at from now on; null: those found at each instant.
  void freeze(const double* features) { features_ = features; }

  // The same numbers have moved to another place.
  void moved_to(const double* q) { q_ = q; }

  // Of all contacts, of the chosen ones, in ascending order and at their own places, or of one; a dry one has the gap 0.
  void gaps(double* phi, double* scale) const;
  void gaps(const std::vector<int>& chosen, double* phi, double* scale);
  double gap_of(int contact);
  // Of the chosen ones, in their order and one below the other: J over variables, and the velocities at v = 0. Each
  // writes its own rows and leaves the others.
  void normals(const std::vector<int>& chosen, double* J, double* rate);
  void tangents(const std::vector<int>& chosen, double* J, double* rate);

 private:
  template <class F>
  void of_each_element(const std::vector<int>& chosen, F f);
  template <class Chosen>
  void clear(const Unilateral& element, const ContactInstant& at, Chosen first, Chosen last, int rows);

  const Model& model_;
  std::vector<ContactPlace> places_;
  std::vector<int> read_;  // joints at or above the frames of contacts
  JointParameters parameters_;
  std::vector<JointState> poses_;
  const double* q_ = nullptr;
  const double* features_ = nullptr;
  double t_ = 0.0;
  std::vector<double> scratch_, rate_, phi_, scale_;  // rows and gaps of one element
  std::vector<double> asked_;                         // the features of its chosen contacts, none of the others
};

}  // namespace bough
