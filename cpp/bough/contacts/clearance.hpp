// What a motion knows of pairs of shapes that nothing has to be asked about: how far apart they are at least, and whether their
// boxes meet. Each pair has been measured at some configuration. With d what was found there, and D_a, D_b the sums of (EV4) for its
// bodies since then,
//
//   D_a + D_b < d   =>   the pair is apart, and its boxes meet or do not meet as they did                          (GE29)
//
// at each configuration since and on the straight ways between them, since no point of a body has moved by more than its sum. Two bodies of
// one tree are bounded by the joints beyond those that move all bodies of it. A pair for which (GE29) does not hold is awake: it is
// measured again. Nothing else depends on what was known of a pair.
#pragma once

#include <vector>

#include "bough/contacts/shape_bodies.hpp"
#include "bough/tree/joint_ways.hpp"
#include "bough/tree/unilateral.hpp"

namespace bough {

struct BodyPair {
  int a, b;
};

class Clearance final : public Unilateral::Memory {
 public:
  Clearance(const Model& model, const std::vector<ShapeBody>& bodies, const std::vector<BodyPair>& pairs, int contacts);

  // The motion is at q now.
  void move(const double* q);
  // All pairs are awake.
  void forget();
  void wake(int pair);
  bool apart(int pair) const { return way(pair) < watched_[pair].until; }
  // Whether its boxes met when it was measured.
  bool near(int pair) const { return watched_[pair].near; }
  // Whether it was near and apart then, and how many were.
  bool settled(int pair) const { return watched_[pair].near && watched_[pair].until > 0.0; }
  int count_settled() const { return settled_; }
  // Of a pair that is measured at the present configuration: `distance` is the d of (GE29), none if it is not above zero.
  void set(int pair, bool near, double distance);

  // Calls f(pair) for those that are awake, in the order of their bodies. f may set them.
  template <class F>
  void each_awake(F f) {
    if (!(clock_ < rescan_at_)) rescan();
    for (const int pair : awake_)
      if (!apart(pair)) f(pair);
  }

  // How far two bodies can move together before a pair is awake; none if one is.
  double left();

  // The features that were chosen last, and what was closed. Nothing is remembered if all is forgotten.
  void remember(const double* features, const char* closed);
  bool remembers(const double* features) const;
  bool remembers(const double* features, const char* closed) const;
  enum Kind : char { none, distance, others };
  std::vector<Kind> kinds;  // of the features of each pair

 private:
  struct Watched {
    int a, b;  // of its bodies, in ways_
    bool near, never;
    double until;
  };
  struct Moving {
    int place;  // in joints_
    double radius;
  };
  double way(int pair) const { return ways_[watched_[pair].a] + ways_[watched_[pair].b]; }
  void rescan();
  void add_ways();

  JointWays joints_;
  std::vector<char> stem_;  // of joints_: whether it moves all bodies of its tree
  std::vector<Moving> moving_;
  std::vector<double> ways_;  // of each body, then of each body beyond the stem of its tree
  std::vector<Watched> watched_;
  std::vector<int> order_, awake_;
  std::vector<double> q_, features_;
  std::vector<char> closed_;
  // The sum of the longest ways of two bodies, and what it is when a pair that is apart may be so no more.
  double clock_ = 0.0, rescan_at_ = 0.0;
  int settled_ = 0, moves_ = 0;
  bool relative_ = false, known_ = false;
};

}  // namespace bough
