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

#include "bough/tree/elements.hpp"

namespace bough {

class Unilateral {
 public:
  virtual ~Unilateral() = default;

  // How many contacts, and how many rows of tangential velocity each one has: 0, 1 (planar) or 2.
  virtual int contacts() const { return 1; }
  virtual int tangents() const { return 0; }

  // Of each contact the gap, and the size of the terms that cancel in it: those of its formula and the reach of its points.
  virtual void value(const Instant& at, double* phi, double* scale) const = 0;
  // Rows over n_variables, which come in zeroed: dphi/dq, one for each contact; and T, `tangents` for each contact.
  virtual void gradient(const Instant& at, double* Dphi) const = 0;
  virtual void tangent(const Instant& /*at*/, double* /*T*/) const {}
  // dphi/dt at fixed q, and the tangential velocities at v = 0 (a conveyor); zero unless the kind says otherwise.
  virtual void rate(const Instant&, double* phi_t) const { std::fill_n(phi_t, contacts(), 0.0); }
  virtual void slide(const Instant&, double* U_t) const { std::fill_n(U_t, contacts() * tangents(), 0.0); }
  // Whether a gap depends on time by itself, so that the contact can do work.
  virtual bool moves() const { return false; }

  // The coefficients of a contact.
  virtual double friction(int /*contact*/) const { return 0.0; }
  virtual double restitution(int /*contact*/) const { return 0.0; }
  // Of dry friction the largest force; negative for a contact, which has a gap.
  virtual double bound(int /*contact*/) const { return -1.0; }

  // How far a gap can have changed on the way between two configurations, at most: (EV2). Negative if the kind cannot tell;
  // the middle of the step is then looked at and nothing more.
  virtual void travel(const Instant& /*from*/, const Instant& /*to*/, double* D) const {
    std::fill_n(D, contacts(), -1.0);
  }

  // Raises arms[i] to the largest |dphi/dq_i| of its contacts in any configuration. False if there is no such bound, or if a
  // gap depends on time by itself: its contacts are then looked at in every step, (EV4).
  virtual bool arms(const Model&, double* /*arms*/) const { return false; }

  // The joints in gradient() and tangent(); and those that value() reads.
  virtual Support support(const Model&) const { return {}; }

  // Where a contact touches and its normal and tangents, for reports and pictures, if it has a place in the world.
  struct Place {
    Vec3 point, normal, tangent[2];
  };
  virtual bool place(const Instant& /*at*/, int /*contact*/, Place& /*out*/) const { return false; }
};

}  // namespace bough
