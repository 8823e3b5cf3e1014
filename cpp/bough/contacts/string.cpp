// A string that only pulls, over pulleys without friction: phi = length - L(q), L the length of its path.
//
// The path goes from a over points that it slides through, or round circles, to b. On a circle of radius r about the unit axis n of
// a frame, it runs from the angle theta to theta', in the sense of n (r < 0: against it). With T the points at which it comes and goes,
//
//   L = sum |T_k' - T_k+1| + sum r (theta' - theta)                                                             (SG1)
//
// Seen along n, with d the distance of the other end of a straight part from the centre and h its height over the circle, the straight
// part is sqrt(d^2 - r^2 + h^2) long and meets the circle at the angle of that end, +- acos(r / d).               (SG3)
// That makes L stationary if h = 0, and dL/dq is that of the straight parts between points fixed to the frames of the circles,
//
//   dL/dq = sum n_k . (dT_k'/dq - dT_k+1/dq),   n_k the direction from T_k+1 to T_k'                            (SG2)
//
// An end inside a circle has no straight part: L is not a number there.
// If the groove of a pulley bends the string out of its plane, h != 0, the turn of T adds dL/dtheta dtheta/dq.
// Between two circles, which lie in one plane, each end is found from the other in turn. What is let out by drums is part of the length:
//
//   length = f(t) + sum c_j q_j                                                                                 (SG4)
//
// Record: frames (a, those of the pulleys, b), variables (of drums), values (restitution; c_j; of each pulley r and n: 4; f).
#include <algorithm>
#include <cmath>

#include "bough/tree/catalogue.hpp"
#include "bough/tree/function.hpp"
#include "bough/tree/points.hpp"
#include "bough/tree/unilateral.hpp"

namespace bough {
namespace {

constexpr double pi = 3.141592653589793;
constexpr double least_wrap = -0.5;        // rad: a string that wraps less is one that goes nearly round
constexpr double arc_of_chord = 0.5 * pi;  // of half a turn
constexpr double on_rim = 1e-9;            // of a radius
constexpr int most_turns = 200;            // of the ends between two circles

class String final : public Unilateral {
 public:
  explicit String(const ElementRecord& r) : places_(r.frames), variables_(r.variables), restitution_(r.values[0]) {
    const double* cursor = r.values.data() + 1;
    for (std::size_t i = 0; i < variables_.size(); ++i) let_out_.push_back(*cursor++);
    for (std::size_t i = 2; i < places_.size(); ++i, cursor += 4) {
      radii_.push_back(cursor[0]);
      const Vec3 n(cursor + 1), side = cross(n, std::abs(n[0]) < 0.6 ? Vec3::unit(0) : Vec3::unit(1));
      axes_.push_back({n, side / norm(side)});
    }
    length_ = Function(cursor);
  }

  void value(const ContactInstant& at, double* phi, double* scale) const override {
    const Path path = find(at);
    double length = length_(at.t).f, size = std::abs(length);  // (SG4)
    for (std::size_t j = 0; j < variables_.size(); ++j) {
      length += let_out_[j] * at.q[variables_[j]];
      size += std::abs(let_out_[j] * at.q[variables_[j]]);
    }
    phi[0] = length - path.length;
    for (const Point& p : path.points) size += norm(p.x) + p.reach;
    scale[0] = size;
  }
  void gradient(const ContactInstant& at, double* Dphi) const override {  // (SG2)
    const Path path = find(at);
    for (std::size_t k = 0; k + 1 < path.points.size(); k += 2) {
      const Point &a = path.points[k], &b = path.points[k + 1];
      const Vec3 d = a.x - b.x;
      const double size = norm(d);
      if (!(size > 0.0)) continue;
      add_difference_gradient(at.model, at.state, a, b, d / size, -1.0, Dphi);
      if (from_circle(k / 2)) add_turn(at, k / 2, a, b, false, Dphi);
      if (to_circle(k / 2)) add_turn(at, k / 2 + 1, b, a, true, Dphi);
    }
    for (std::size_t j = 0; j < variables_.size(); ++j) Dphi[variables_[j]] += let_out_[j];
  }
  void rate(const ContactInstant& at, double* phi_t) const override { phi_t[0] = length_(at.t).df; }
  bool moves() const override { return !length_.fixed(); }
  double restitution(int) const override { return restitution_; }

  // Straight parts change by no more than their ends move against each other, along arcs of half a turn at most.
  void travel(const ContactInstant& from, const ContactInstant& to, double* D) const override {
    const Path before = find(from);
    double sum = std::abs(length_(to.t).f - length_(from.t).f);
    for (std::size_t j = 0; j < variables_.size(); ++j)
      sum += std::abs(let_out_[j] * (to.q[variables_[j]] - from.q[variables_[j]]));
    const double arcs = before.arcs;
    std::vector<Vec3>& parts = parts_of_thread();
    parts.clear();
    for (std::size_t k = 0; k + 1 < before.points.size(); k += 2)
      parts.push_back(before.points[k].x - before.points[k + 1].x);
    const Path after = find(to);
    for (std::size_t k = 0; k < parts.size(); ++k)
      sum += arc_of_chord * norm(after.points[2 * k].x - after.points[2 * k + 1].x - parts[k]);
    D[0] = sum + std::abs(after.arcs - arcs);
  }

  // Every point of the path ends two straight parts, but for the first and the last; arcs have no such bound.
  bool reach(const Model&, int, Reach& out) const override {
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (std::size_t k = 0; k < (i == 0 || i + 1 == places_.size() ? 1u : 2u); ++k)
        out.points.push_back({places_[i].joint, norm(places_[i].X.p)});
    for (std::size_t j = 0; j < variables_.size(); ++j) out.changes.push_back({variables_[j], std::abs(let_out_[j])});
    return length_.fixed() && std::all_of(radii_.begin(), radii_.end(), [](double r) { return r == 0.0; });
  }

  Support support(const Model& model) const override {
    std::vector<int> slots;
    for (const FramePlace& place : places_) slots.push_back(place.joint);
    Support s = relative_support(model, slots);
    s.variables = variables_;
    return s;
  }

 private:
  struct Axis {
    Vec3 n, side;  // in the frame; side is where angles are zero
  };
  struct Circle {
    Vec3 centre, n, x, y;
    double r;      // above zero
    double sense;  // of the string about n
    Vec3 at(double angle) const { return centre + r * (std::cos(angle) * x + std::sin(angle) * y); }
    // (SG3): where a straight part from p meets the circle; coming to it, or going from it.
    double touch(const Vec3& p, bool coming) const {
      const Vec3 d = p - centre;
      const double u = dot(d, x), v = dot(d, y), away = std::hypot(u, v);
      // An end on the rim of a drum is outside, whatever its round-off.
      const double half = away > r ? std::acos(r / away) : away > (1.0 - on_rim) * r ? 0.0 : NAN;
      return std::atan2(v, u) + (coming ? sense : -sense) * half;
    }
  };
  struct Path {
    std::vector<Point>& points;  // ends of the straight parts, in pairs
    double length, arcs;
  };
  static std::vector<Point>& points_of_thread() {
    thread_local std::vector<Point> points;
    return points;
  }
  static std::vector<Vec3>& parts_of_thread() {
    thread_local std::vector<Vec3> parts;
    return parts;
  }

  bool from_circle(std::size_t part) const { return part > 0 && radii_[part - 1] != 0.0; }
  bool to_circle(std::size_t part) const { return part < radii_.size() && radii_[part] != 0.0; }

  // -dL/dtheta dtheta/dq of the end T on the circle at a place, of a straight part whose other end is p.
  void add_turn(const Instant& at, std::size_t place, const Point& T, const Point& p, bool coming, double* row) const {
    const Circle c = circle(at, place - 1);
    const Vec3 d = p.x - c.centre, along = cross(c.n, T.x - c.centre) / c.r, e = p.x - T.x;
    const double way = coming ? c.sense : -c.sense, by_angle = -c.r * (dot(e, along) / norm(e) + way);
    if (std::abs(by_angle) <= 1e-14 * c.r) return;
    const double u = dot(d, c.x), v = dot(d, c.y), square = u * u + v * v;
    if (!(square > c.r * c.r)) return;
    // theta = atan2(v, u) + way acos(r / d)
    const double stretch = way * c.r / (square * std::sqrt(square - c.r * c.r));
    const double by_u = -v / square + stretch * u, by_v = u / square + stretch * v;
    const Vec3 g = by_u * c.x + by_v * c.y;
    const int stop = fork(at.model, T.joint, p.joint);
    add_point_gradient(at.model, at.state, p, g, -by_angle, stop, row);
    Point centre = T;
    centre.x = c.centre;
    add_point_gradient(at.model, at.state, centre, g, by_angle, stop, row);
    for (int slot = T.joint; slot != stop; slot = at.model.joints[slot - 1].parent) {  // the axes turn with the frame
      const Joint& joint = at.model.joints[slot - 1];
      row[joint.variable] -= by_angle * joint.ratio * dot(at.state[slot].J.w, cross(g, d));
    }
  }

  Circle circle(const Instant& at, std::size_t k) const {
    const FramePlace& place = places_[k + 1];
    const JointState& s = at.state[place.joint];
    const Mat3 R = s.g.R * place.X.R;
    Circle c;
    c.centre = s.g.p + s.g.R * place.X.p;
    c.n = R * axes_[k].n;
    c.x = R * axes_[k].side;
    c.y = cross(c.n, c.x);
    c.r = std::abs(radii_[k]);
    c.sense = radii_[k] < 0.0 ? -1.0 : 1.0;
    return c;
  }

  // The ends of straight part k, between the places k and k + 1.
  void straight(const Instant& at, std::size_t k, Point& a, Point& b, double& out, double& in) const {
    a = point(places_[k], at.state);
    b = point(places_[k + 1], at.state);
    if (!from_circle(k) && !to_circle(k)) return;
    Circle first{}, second{};
    if (from_circle(k)) first = circle(at, k - 1);
    if (to_circle(k)) second = circle(at, k);
    const auto leave = [&] {
      out = first.touch(b.x, false);
      a.x = first.at(out);
    };
    const auto arrive = [&] {
      in = second.touch(a.x, true);
      b.x = second.at(in);
    };
    if (!to_circle(k)) return leave();
    if (!from_circle(k)) return arrive();
    for (int turn = 0; turn < most_turns; ++turn) {
      const Vec3 before_a = a.x, before_b = b.x;
      leave();
      arrive();
      if (norm(a.x - before_a) + norm(b.x - before_b) <= 1e-16 * (norm(a.x - b.x) + first.r + second.r)) return;
    }
  }

  // (SG1)
  Path find(const Instant& at) const {
    Path path{points_of_thread(), 0.0, 0.0};
    path.points.clear();
    double in = 0.0;
    for (std::size_t k = 0; k + 1 < places_.size(); ++k) {
      Point a, b;
      double out = 0.0, next = 0.0;
      straight(at, k, a, b, out, next);
      if (k > 0 && radii_[k - 1] != 0.0) {
        double wrap = (radii_[k - 1] < 0.0 ? -1.0 : 1.0) * (out - in);
        wrap -= 2.0 * pi * std::floor((wrap - least_wrap) / (2.0 * pi));
        path.arcs += std::abs(radii_[k - 1]) * wrap;
      }
      in = next;
      path.length += norm(a.x - b.x);
      path.points.push_back(a);
      path.points.push_back(b);
    }
    path.length += path.arcs;
    return path;
  }

  std::vector<FramePlace> places_;
  std::vector<int> variables_;
  double restitution_;
  std::vector<double> let_out_, radii_;
  std::vector<Axis> axes_;
  Function length_;
};

}  // namespace

std::shared_ptr<const Unilateral> make_string(const ElementRecord& record) { return std::make_shared<String>(record); }

}  // namespace bough
