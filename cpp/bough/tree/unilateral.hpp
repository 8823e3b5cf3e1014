// The interface of one-sided elements: contacts that press and do not pull. One class per kind, one file per kind in
// contacts/; the steps know only this interface.
//
// A contact i has a gap phi_i(q, t) >= 0 and none, one or two rows T_i(q) of the velocity of the material points that
// touch, tangential and relative to each other. Its impulse is (r_n, r_t): it acts on the variables as
//
//   J_n^T r_n + T^T r_t,  J_n = dphi/dq,   U_n = J_n v + phi_t,   U_t = T v + slide                               (UN1)
//
// and (phi, U) obey (CT2)-(CT5) of integrators/step_contacts.hpp. Only first derivatives are asked for.
//
// Dry friction has no gap: its contact is always there, and what r_t may be is bounded by a force (`bound`) that does not
// depend on r_n.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "bough/tree/elements.hpp"

namespace bough {

// The state at which one-sided elements are evaluated.
struct ContactInstant : Instant {
  // Of the element that is evaluated, the features that its contacts are frozen at; null: those found here.
  const double* features = nullptr;
};

// The least size of a gap, in rad or m: at the origin or at a bound of zero, the terms of a gap vanish with it, but the
// round-off of the motion does not.
constexpr double least_gap_size = 1.0;

class Unilateral {
 public:
  virtual ~Unilateral() = default;

  // How many contacts, and how many rows of tangential velocity each one has: 0, 1 (planar) or 2.
  virtual int contacts() const { return 1; }
  virtual int tangents() const { return 0; }

  // Of each contact the gap, and the size of the terms that cancel in it: those of its formula and the reach of its points.
  virtual void value(const ContactInstant& at, double* phi, double* scale) const = 0;
  // Rows over n_variables, which come in zeroed: dphi/dq, one for each contact; and T, `tangents` for each contact.
  virtual void gradient(const ContactInstant& at, double* Dphi) const = 0;
  virtual void tangent(const ContactInstant& /*at*/, double* /*T*/) const {}
  // dphi/dt at fixed q, and the tangential velocities at v = 0 (a conveyor); zero unless the kind says otherwise.
  virtual void rate(const ContactInstant&, double* phi_t) const { std::fill_n(phi_t, contacts(), 0.0); }
  virtual void slide(const ContactInstant&, double* U_t) const { std::fill_n(U_t, contacts() * tangents(), 0.0); }
  // Whether a gap depends on time by itself, so that the contact can do work.
  virtual bool moves() const { return false; }

  // The coefficients of a contact.
  virtual double friction(int /*contact*/) const { return 0.0; }
  virtual double restitution(int /*contact*/) const { return 0.0; }
  // Of dry friction the largest force; negative for a contact, which has a gap.
  virtual double bound(int /*contact*/) const { return -1.0; }

  // How far a gap can have changed on the way between two configurations, at most: (EV2). Negative if the kind cannot tell;
  // only the middle of the step is then checked.
  virtual void travel(const ContactInstant& /*from*/, const ContactInstant& /*to*/, double* D) const {
    std::fill_n(D, contacts(), -1.0);
  }

  // What bounds the change of a gap in a step, (EV4): the ways of points within `radius` of the frame of a joint (by its slot),
  // and `weight` times the change of a variable. False if nothing does, or if the gap depends on time by itself: the contact is
  // then checked in every step. Of a contact with features, the points are those of all bodies that it may be between.
  struct Reach {
    struct Points {
      int slot;
      double radius;
    };
    struct Change {
      int variable;
      double weight;
    };
    std::vector<Points> points;
    std::vector<Change> changes;
  };
  virtual bool reach(const Model&, int /*contact*/, Reach&) const { return false; }

  // The joints in gradient() and tangent(); and those that value() reads.
  virtual Support support(const Model&) const { return {}; }

  // What one motion remembers of an element with features, so that not all of it is looked at again. No result depends on it.
  struct Memory {
    virtual ~Memory() = default;
  };
  virtual std::unique_ptr<Memory> memory(const Model&) const { return nullptr; }

  // Contacts between shapes have features, one number each (geometry/shape_pair.hpp), 0 for none, which are functions of q as
  // long as they are frozen. Chooses those at an instant: `closed` tells of each contact whether it is, and features that are
  // still there keep their places. False if there is no room for all.
  virtual bool has_features() const { return false; }
  virtual bool choose_features(const ContactInstant&, Memory&, const char* /*closed*/, double* /*features*/) const {
    return true;
  }
  virtual bool same_pair(double /*feature*/, double /*other*/) const { return false; }
  // Whether a feature goes on as another one, which then keeps its place, force and slip.
  virtual bool continues(double /*feature*/, double /*next*/) const { return false; }
  // Whether the way between two instants is short enough for the feature of a contact.
  virtual bool follows(const ContactInstant& /*from*/, const ContactInstant& /*to*/, int /*contact*/) const {
    return true;
  }
  // Adds features that may have been met on the way between two instants, and are not among those frozen. `closed` tells of each
  // contact whether it takes part in the step: the others give their places to what is nearer.
  enum class Addition { none, made, no_room };
  virtual Addition add_features(const ContactInstant& /*from*/, const ContactInstant& /*to*/, Memory&,
                                const char* /*closed*/, double* /*features*/) const {
    return Addition::none;
  }
  // The motion is at q now. How far two bodies can move, together and from there on, before anything of the element has to be looked
  // at; and the contacts, counted from `first`, whose feature is not of what is apart for sure, there and on the straight way from
  // the q before.
  virtual void look(Memory&, const double* /*q*/) const {}
  virtual double left(Memory&) const { return 0.0; }
  virtual void add_near(const Memory&, const double* /*features*/, int /*first*/, std::vector<int>& /*found*/) const {}

  // Where a contact touches and its normal and tangents, for reports and pictures, if it has a place in the world.
  struct Place {
    Vec3 point, normal, tangent[2];
  };
  virtual bool place(const ContactInstant& /*at*/, int /*contact*/, Place& /*out*/) const { return false; }

  // Of a contact with a feature: what value() tells of it, and all that its rows are made of. Those without one have an infinite gap
  // and no rows.
  struct Touch : Place {
    double phi, scale;
  };
  virtual void touch(const ContactInstant& /*at*/, int /*contact*/, Touch& /*out*/) const {}
  // Whether contacts without features have touch() and add_rows() too: a few of many are then asked for one by one. They are at rest
  // by themselves: rate() and slide() are zero.
  virtual bool one_by_one() const { return false; }
  // The rows of that, which come in zeroed; null for those that are not asked for.
  virtual void add_rows(const ContactInstant& /*at*/, int /*contact*/, const Touch& /*touch*/, double* /*normal*/,
                        double* /*tangents*/) const {}
};

}  // namespace bough
