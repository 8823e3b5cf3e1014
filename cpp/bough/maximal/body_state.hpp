// Bodies in maximal coordinates: position of the centre of mass, unit quaternion, linear and angular velocity each, and what
// their joints say about them. Twists and wrenches are taken at the world origin.
#pragma once

#include "bough/maximal/chain.hpp"
#include "bough/maximal/settings.hpp"
#include "bough/spatial/rotation.hpp"
#include "bough/tree/workspace.hpp"

namespace bough {

// What a step changes and a failed step restores. By slot; slot 0 is the world.
struct MaximalCoordinates {
  double t = 0.0;
  std::vector<Vec3> x, v, w;
  std::vector<Quaternion> o;
  std::vector<double> q, q_rate;  // recovered: variables of the model
  std::vector<double> s;          // recovered: by joint of the model
};

// Whether a link has no mass, or no rotational inertia about some axis.
bool lacks_inertia(const Link& link);

class BodyState : public MaximalCoordinates {
 public:
  BodyState(const Model& model, const MaximalSettings& settings);
  BodyState(const BodyState&) = delete;
  BodyState& operator=(const BodyState&) = delete;

  const Model& model;
  const MaximalSettings& settings;
  const Bodies bodies;
  int n() const { return bodies.n(); }

  std::vector<bool> broken;              // joints, by slot
  std::vector<Pose> g;                   // of the links of bodies
  std::vector<Inertia> inertia;          // as set by set_inertia()
  std::vector<ChainState> joint;         // by slot; its e is the drift
  std::vector<Twist> J;                  // by place in the chains, in the axes of the body
  std::vector<Wrench> world_dual;        // likewise, at the world origin
  std::vector<Twist> driven;             // by prescribed joints, relative to the body before it
  std::vector<double> prescribed_rates;  // by variable, zero for dynamic ones

  void start(double time, const double* q0, const double* v0);
  // Without allocation after the first step.
  void save() { saved_ = *this; }
  void restore();
  const MaximalCoordinates& saved() const { return saved_; }

  const Twist& drift(int slot) const { return joint[slot].e; }
  Twist world_twist(int slot) const;
  Mat3 rotational_inertia(int slot) const;  // about the centre of mass, world axes
  void set_inertia();
  void set_poses();
  void set_velocities(const std::vector<Twist>& V);  // v, w of world twists
  void recover_joints();
  void recover_rates();

  // Positions by v, w.
  void move(double dt);
  // Prescribed joints at the end of a step, from their values k1 there: their rates and twists; the twists alone where the bodies
  // are now; their values.
  void set_driven(double dt, const double* k1);
  void place_driven();
  void set_prescribed(const double* k1);
  // What the positions say at the end of a step.
  void arrive(double dt, const double* k1);

  bool finite() const;    // velocities
  double extent() const;  // of the model, in metres

 private:
  Inertia body_inertia(int slot) const;

  std::vector<Wrench> dual_;  // by place in the chains
  MaximalCoordinates saved_;
};

}  // namespace bough
