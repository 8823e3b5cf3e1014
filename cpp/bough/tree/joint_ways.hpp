// How far points of bodies move at most on the straight way from one configuration to another, by the changes of q alone.
//
// With S the screw of a joint, dq its change times its ratio, and s its parameter where it is largest, a point at the distance r
// from the frame of joint i moves by no more than
//
//   W_i = W_parent + |S.w| |dq| ,   A_i = A_parent + W_parent (|X.p| + |S.v| |s|) + |S.v| |dq| ,   D_i(r) = A_i + W_i r   (EV4)
//
// The straight way of a ball is its geodesic. Ways from a to b and from b to c add up to one from a to c.
#pragma once

#include <vector>

#include "bough/tree/model.hpp"

namespace bough {

class JointWays {
 public:
  struct Moved {  // a joint at or above a slot that is read
    int parent;   // in all(), or -1
    int variable;
    int ball, axis;  // -1 of no ball
    double ratio, shift, turn, slide, offset;
    double A, W;
    double A_beyond, W_beyond;
  };

  JointWays() = default;
  // Of the joints at or above slots; `read` has one for each slot.
  JointWays(const Model& model, std::vector<bool> read);

  const std::vector<Moved>& all() const { return moved_; }
  // The place of a slot in all(), or -1 if it is the world.
  int place(int slot) const { return place_[slot]; }
  // (EV4) of a step: balls turn from phi = 0 of q0 to that of q1.
  void move(const double* q0, const double* q1);
  // (EV4) of any two configurations. stem: of each joint, whether it counts as one that stays where it is in what beyond() tells; or
  // null, and nothing is asked of that.
  void move_between(const double* q0, const double* q1, const char* stem);
  double largest_A() const { return A_; }
  double largest_W() const { return W_; }
  double of(int place, double radius) const {
    if (place < 0) return 0.0;
    const Moved& x = moved_[place];
    return x.W > 0.0 ? x.A + x.W * radius : x.A;
  }
  double beyond(int place, double radius) const {
    return place < 0 ? 0.0 : moved_[place].A_beyond + moved_[place].W_beyond * radius;
  }

 private:
  template <class Change>
  void sweep(const double* q0, const double* q1, const char* stem, Change change);

  const Model* model_ = nullptr;
  std::vector<Moved> moved_;
  std::vector<int> place_;
  std::vector<double> turns_;  // of balls
  double A_ = 0.0, W_ = 0.0;
};

}  // namespace bough
