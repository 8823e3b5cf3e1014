// Two shapes and the features by which they touch, each known by one number, so that a motion can carry it from step to step.
//
// A feature is a function of both poses that is smooth near the poses it was found at: those of feature.hpp, and
//
//   ball:   the distance of a ball about a corner of the core of a from b; of b from a                            (GE12)
//   whole:  the distance of a and b                                                                              (GE13)
//   axis:   the distance of the axis of a capsule from an edge or another axis, with their ends: (GE27) of axis_distance.hpp
//
// Shapes on the ground of a heightfield have those of field_contact.hpp, cylinders those of cylinder_contact.hpp.
//
// (GE12) has a continuous gradient also where its nearest point passes from a face to an edge, so that a sphere needs no other,
// and a capsule only its crossings with edges besides. These are of the whole lines, (GE5) and (GE4), as long as they are touched: where the
// place of contact passes an end, the curvature jumps, and the force with it, so that the contact ends there. Crossings that are met
// within a step are (GE27), which an end of a capsule passes to without a jump of the gap. (GE13) serves as long as the shapes do not touch:
// a distance changes no faster than the shapes move, whatever of them is nearest.
#pragma once

#include "bough/geometry/feature.hpp"
#include "bough/geometry/field_contact.hpp"

namespace bough {

class ShapePair {
 public:
  static constexpr int most = 8;               // features that touch at once
  static constexpr int most_of_cylinder = 16;  // with those that it has left within a step, as it whirls on its rim
  static constexpr double none = 0.0;          // the number of no feature
  static constexpr double codes = 0x1p32;      // all numbers of features are below it
  static const double whole;

  // In an order of its own: `swapped` says whether b was given first.
  ShapePair(ContactShape a, ContactShape b);
  bool swapped() const { return swapped_; }
  const ContactShape& a() const { return a_; }
  const ContactShape& b() const { return b_; }

  int features() const { return features_; }  // how many there can be
  // Whether one feature serves at any distance, and which.
  bool single() const { return features_ == 1; }
  double only() const;

  struct Found {
    static constexpr int room = FieldFeatures::most;
    double gap = HUGE_VAL;  // of the shapes
    int count = 0;
    double code[room], value[room];
    Vec3 place[room];
    bool has(double x) const {
      for (int i = 0; i < count; ++i)
        if (code[i] == x) return true;
      return false;
    }
  };
  // What is near at these poses, at most features().
  void find(const Pose& A, const Pose& B, Found& out) const;
  Gap gap(double code, const Pose& A, const Pose& B) const;
  // A feature that is found at the end of a step, as one that holds over all of the step: where the place of contact has come from an
  // end of the axis of a capsule, the crossing of the line through it tells nothing.
  double met(double code) const;
  // Whether one feature goes on as another if they touch at the same place, as parts of a rim do.
  bool continues(double code, double next) const;
  // A feature that goes on as a part of a rim, at the point where it touches now: its gap is no function of where the shapes touch
  // any more. Others are as they were.
  double pinned(double code, const Pose& A, const Pose& B) const;
  bool is_pinned(double code) const;
  // Whether a feature is a part of the rim of a cylinder that is almost upright, or such a point.
  bool is_part(double code) const;
  // Whether a step from the first poses to the second is short enough for a feature.
  bool follows(double code, const Pose (&A)[2], const Pose (&B)[2]) const;
  // Whether there are features for which it may not be.
  bool may_run() const { return of_cylinder() || (a_.kind() == ShapeKind::capsule && !b_.field()); }

 private:
  struct Parts {
    int kind, a, b;
  };
  Parts parts_of(double code) const;
  int part_of_rim(double code) const;
  void add(double code, const Pose& A, const Pose& B, Found& out) const;
  // Whether a cylinder has features on b.
  bool of_cylinder() const;
  template <class Features>
  void take(const Features& all, Found& out) const;
  void find_crossings(const PlacedShape& a, const PlacedShape& b, Found& out) const;
  void reduce(Found& out) const;

  bool swapped_;
  ContactShape a_, b_;
  int features_;
  // More than a has corners, edges or faces, and a power of two: what its part of a number is counted by.
  int parts_, parts_bits_;
  ContactShape ball_a_, ball_b_;  // of the radii of both; of an ellipsoid on a cylinder its core
};

}  // namespace bough
