// How far the gaps of open contacts can have changed in a step, from the changes of q alone. Most steps are far from all contacts
// and end here.
//
// A gap phi cannot close before the sum over steps of what bounds its change, (EV4) of tree/joint_ways.hpp, has come up to it. If
// the joints follow each other in one row, and none that slides follows one that turns, D is a sum over them with constant weights,
// which takes a third of the time.
//
// An element with features tells how far its bodies can move before anything of it has to be looked at; its contacts are not looked
// at one by one.
#pragma once

#include "bough/dynamics/contact_rows.hpp"
#include "bough/tree/joint_ways.hpp"

namespace bough {

class ContactReach {
 public:
  explicit ContactReach(const Model& model, const ContactRows& rows);
  // What a motion remembers of an element with features; it must stay.
  void watch(const Unilateral& element, Unilateral::Memory& memory) { watched_.push_back({&element, &memory, 0.0}); }

  // The most by which the gap of a contact has changed in the step that was moved along last; negative if it is not known, as of
  // dry friction and of features.
  double way(int contact) const {
    const int at = place_[contact];
    return at >= 0 && contacts_[at].known ? contacts_[at].way : -1.0;
  }

  void move(const double* q0, const double* q1);
  // The same, taken off what is left of the gaps. Whether all are still open for sure.
  bool stays_open(const double* q0, const double* q1);
  // If they may not be: whether features have to be looked at, and if not, whether the gaps at the end of that step tell that all were open, by (EV2).
  bool awake() const;
  bool stayed_open(const std::vector<double>& phi);
  void set(const std::vector<double>& phi);  // what is left of them, all contacts open
  void forget() { open_ = false; }
  bool open() const { return open_; }

 private:
  struct Contact {  // one without features
    int contact;
    bool known;
    int points, changes;  // one past the last of each
    double way, left;
  };
  struct Points {
    int place;  // in joints_
    double radius;
  };
  void set_weights();
  double way_together(const double* q0, const double* q1);
  void move_contacts(const double* q0, const double* q1);

  JointWays joints_;
  std::vector<Contact> contacts_;
  std::vector<int> place_;  // of each contact, in contacts_, or -1
  struct Watched {
    const Unilateral* element;
    Unilateral::Memory* memory;
    double left;  // how far two of its bodies can move together
  };
  std::vector<Watched> watched_;
  std::vector<Points> points_;
  std::vector<Unilateral::Reach::Change> changes_;
  // What bounds all changes together, for steps far from all contacts: a part of the cost of looking at each of them.
  struct Together {
    std::vector<Unilateral::Reach::Change> changes;  // the largest of each variable
    std::vector<Unilateral::Reach::Change> ways;     // of the outermost point, if these are linear
    bool linear = false;
    int points = 0, each = 0;        // the most points of one contact, and the most changes
    double radius = 0.0;             // the largest
    double left = 0.0, spent = 0.0;  // of the least gap, and since contacts were looked at one by one
  };
  Together together_;
  bool bounded_ = true, open_ = false;
};

}  // namespace bough
