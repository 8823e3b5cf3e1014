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
  double bound;     // of dry friction, which has no gap; negative for a contact
  bool featured;    // whether it has features
  bool one_by_one;  // or tells without them what it is alone
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
  // What another one has found at the same configuration is taken from it. It must stay.
  void share(const ContactRows& other) { others_.push_back(&other); }
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

  // Of all contacts, of those chosen, or of one; a dry one has the gap 0.
  void gaps(double* phi, double* scale);
  void gaps_of(const std::vector<int>& chosen, double* phi, double* scale);  // in their places; others may be lost
  double gap_of(int contact);
  // Of the chosen ones, in their order and one below the other: J over variables, and the velocities at v = 0. The first two
  // write their own rows and leave the others.
  void normals(const std::vector<int>& chosen, double* J, double* rate) { set_rows(chosen, true, false, J, rate); }
  void tangents(const std::vector<int>& chosen, double* J, double* rate) { set_rows(chosen, false, true, J, rate); }
  void all_rows(const std::vector<int>& chosen, double* J, double* rate) { set_rows(chosen, true, true, J, rate); }

 private:
  // Where a contact with a feature touches: found once at each configuration.
  struct Touched {
    double feature;
    long here = -1;  // the configuration that it was found at
    Unilateral::Touch at;
  };
  bool adopt(const double* q);
  bool featured(const ContactPlace& c) const { return features_ && c.featured; }
  bool alone(const ContactPlace& c) const { return c.one_by_one || featured(c); }
  double feature(int contact) const { return featured(places_[contact]) ? features_[contact] : 0.0; }
  bool touches_anywhere(int contact) const { return !featured(places_[contact]) || features_[contact] != 0.0; }
  const Unilateral::Touch& touched(int contact);
  void gap_at(int contact, double* phi, double* scale);
  void add_rows(int contact, double* normal, double* tangents);
  void set_rows(const std::vector<int>& chosen, bool normal, bool tangential, double* J, double* rate);

  const Model& model_;
  std::vector<ContactPlace> places_;
  std::vector<int> read_;  // joints at or above the frames of contacts
  JointParameters parameters_;
  std::vector<JointState> poses_;
  const double* q_ = nullptr;
  std::vector<double> q_here_;  // the numbers that the poses are of
  long here_ = 0;               // counts configurations
  std::vector<Touched> touched_;
  std::vector<const ContactRows*> others_;
  const ContactRows* source_ = nullptr;  // the one that the poses are from, at its configuration
  long source_here_ = 0;
  const double* features_ = nullptr;
  double t_ = 0.0;
  std::vector<double> scratch_, rate_, phi_, scale_;  // rows and gaps of one element
};

}  // namespace bough
