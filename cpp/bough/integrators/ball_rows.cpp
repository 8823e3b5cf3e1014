#include "bough/integrators/ball_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bough/tree/ball_lanes.hpp"

namespace bough {
namespace {

constexpr std::size_t width = FourBalls::width;
constexpr double least_determinant = 1e-12;  // of A, relative to the product of its diagonal

// One ball in four rows.
struct Node {
  LaneMat R;
  LaneVec p, d, r;        // its centre, the way there from that of its parent, its moment
  LaneMat A, B, C;        // by columns; A and C are symmetric
  LaneVec n, g, a, w, v;  // (BJ21)-(BJ23)
  LaneMat K;
};

LaneMat skew(const LaneVec& a) {
  const Lane4 none{};
  return {{{none, a.z, -a.y}, {-a.z, none, a.x}, {a.y, -a.x, none}}};
}

// a x each column.
LaneMat cross(const LaneVec& a, const LaneMat& m) { return {{cross(a, m.c[0]), cross(a, m.c[1]), cross(a, m.c[2])}}; }

LaneMat transpose(const LaneMat& m) {
  return {{{m.c[0].x, m.c[1].x, m.c[2].x}, {m.c[0].y, m.c[1].y, m.c[2].y}, {m.c[0].z, m.c[1].z, m.c[2].z}}};
}

void operator+=(LaneMat& a, const LaneMat& b) {
  for (int k = 0; k < 3; ++k) a.c[k] += b.c[k];
}

// 2 asin(x) / x at x^2 = s, by its series where that has seventeen digits.
Lane4 twice_arc(const Lane4& s) {
  constexpr double c[] = {1.0,         1.0 / 6,       3.0 / 40,      5.0 / 112,       35.0 / 1152,
                          63.0 / 2816, 231.0 / 13312, 143.0 / 10240, 6435.0 / 557056, 12155.0 / 1245184};
  if (all_below(s, 0.02)) {
    Lane4 sum = broadcast(c[9]);
    for (int k = 8; k >= 0; --k) sum = sum * s + broadcast(c[k]);
    return 2.0 * sum;
  }
  const auto of = [&](int k) {
    const double x = std::sqrt(std::min(1.0, s[k]));
    return x > 0.0 ? 2.0 * std::asin(x) / x : 2.0;
  };
  return Lane4{of(0), of(1), of(2), of(3)};
}

class Rows {
 public:
  Rows(const Model& model, const RecordedRows& run) : model_(model), run_(run), nodes_(model.balls.size()) {}

  // Whether velocities of these rows are known.
  bool velocities(const std::size_t (&at)[width]) {
    place(at);
    for (std::size_t i = nodes_.size(); i-- > 0;) reduce(i);
    for (std::size_t i = 0; i < nodes_.size(); ++i) expand(i);
    return known_;
  }
  Lane4 kinetic() const { return kinetic_; }
  Lane4 potential() const { return potential_; }
  void store_velocities(int lane, double* v) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& x = nodes_[i];
      const LaneVec turn = transpose_times(x.R, parent(i) < 0 ? x.w : x.w - nodes_[parent(i)].w);
      lane_of(turn, lane).store(v + model_.balls[i].variable);
    }
  }

  // (CS4) from these rows to the next.
  Lane4 chord(const std::size_t (&at)[width], const Lane4& dt) {
    const std::size_t numbers = model_.n_coordinates();
    const FourBalls rows = places(at);
    const Lane4 per = {1.0 / dt[0], 1.0 / dt[1], 1.0 / dt[2], 1.0 / dt[3]};
    Lane4 sum{};
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const LaneQuaternion from = quaternions(rows, run_.q + model_.balls[i].place);
      LaneQuaternion to = quaternions(rows, run_.q + numbers + model_.balls[i].place);
      const Lane4 along = from.w * to.w + dot(from.v, to.v);
      const Lane4 sign{along[0] < 0.0 ? -1.0 : 1.0, along[1] < 0.0 ? -1.0 : 1.0, along[2] < 0.0 ? -1.0 : 1.0,
                       along[3] < 0.0 ? -1.0 : 1.0};
      to = {sign * to.w, sign * to.v};
      const LaneVec half = from.w * to.v - to.w * from.v - cross(from.v, to.v);  // sin(phi / 2) along phi
      const LaneVec turn = (per * twice_arc(dot(half, half))) * half;
      move_to(i, {from.w + to.w, from.v + to.v});
      Node& x = nodes_[i];
      x.w = x.R * turn;
      x.v = LaneVec::zero();
      if (parent(i) >= 0) {
        const Node& before = nodes_[parent(i)];
        x.w += before.w;
        x.v = before.v + cross(before.w, x.d);
      }
      const Link& link = link_of(i);
      const LaneVec of_mass = x.v + cross(x.w, x.R * link.com), spin = transpose_times(x.R, x.w);
      sum += 0.5 * (broadcast(link.mass) * dot(of_mass, of_mass) + dot(spin, times(link.inertia, spin)));
    }
    return sum;
  }

 private:
  int parent(std::size_t i) const {
    const int slot = model_.joints[model_.balls[i].joint].parent;
    return slot > 0 ? model_.joints[slot - 1].ball : -1;
  }
  const Link& link_of(std::size_t i) const { return model_.links[model_.balls[i].joint + 2]; }

  static LaneVec times(const Mat3& m, const LaneVec& a) {
    return a.x * broadcast(m.c[0]) + a.y * broadcast(m.c[1]) + a.z * broadcast(m.c[2]);
  }

  // Where the numbers of rows begin.
  FourBalls places(const std::size_t (&at)[width]) const {
    FourBalls rows{};
    for (std::size_t k = 0; k < width; ++k) {
      rows.variable.at[k] = static_cast<std::ptrdiff_t>(at[k] * model_.n_dynamic);
      rows.quaternion[k] = static_cast<std::ptrdiff_t>(at[k] * model_.n_coordinates());
    }
    return rows;
  }

  void move_to(std::size_t i, const LaneQuaternion& turn) {
    const Joint& joint = model_.joints[model_.balls[i].joint];
    const Pose& X = joint.X;
    Node& x = nodes_[i];
    const LaneMat own = rotation_of(turn);
    if (parent(i) < 0) {
      for (int c = 0; c < 3; ++c) x.R.c[c] = times(X.R, own.c[c]);
      x.p = x.d = broadcast(X.p);
      return;
    }
    const Node& before = nodes_[parent(i)];
    x.R = (joint.rotated ? before.R * X.R : before.R) * own;
    x.d = before.R * X.p;
    x.p = before.p + x.d;
  }

  // Poses, moments, and what links have of (BJ21).
  void place(const std::size_t (&at)[width]) {
    const FourBalls rows = places(at);
    const LaneVec gravity = broadcast(model_.gravity);
    potential_ = broadcast(-model_.base.mass * bough::dot(model_.base.com, model_.gravity));
    kinetic_ = Lane4{};
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      move_to(i, quaternions(rows, run_.q + model_.balls[i].place));
      Node& x = nodes_[i];
      x.r = x.R * vectors(rows.variable, run_.p + model_.balls[i].variable);
      const Link& link = link_of(i);
      const Lane4 m = broadcast(link.mass), none{};
      const LaneVec c = x.R * link.com, mc = m * c;
      potential_ -= dot(gravity, mc + m * x.p);
      const Lane4 level = dot(mc, c) + broadcast(link.isotropic ? link.inertia(0, 0) : 0.0);
      const LaneVec diagonal[3] = {{level, none, none}, {none, level, none}, {none, none, level}};
      const Lane4 parts[3] = {mc.x, mc.y, mc.z};
      for (int k = 0; k < 3; ++k) x.A.c[k] = diagonal[k] - parts[k] * c;
      if (!link.isotropic) x.A += x.R * link.inertia * transpose(x.R);
      x.B = skew(mc);
      x.C = {{{m, none, none}, {none, m, none}, {none, none, m}}};
      x.n = x.g = LaneVec::zero();
    }
    known_ = true;
  }

  // (BJ22), and what it adds to the parent in (BJ21).
  void reduce(std::size_t i) {
    Node& x = nodes_[i];
    LaneMat inverse_A{{cross(x.A.c[1], x.A.c[2]), cross(x.A.c[2], x.A.c[0]), cross(x.A.c[0], x.A.c[1])}};
    const Lane4 determinant = dot(x.A.c[0], inverse_A.c[0]), scale = x.A.c[0].x * x.A.c[1].y * x.A.c[2].z;
    for (int k = 0; k < 4; ++k) known_ &= determinant[k] > least_determinant * scale[k] && std::isfinite(scale[k]);
    const Lane4 by = inverse(determinant);
    for (LaneVec& column : inverse_A.c) column = by * column;
    x.a = inverse_A * (x.r - x.n);
    x.K = inverse_A * x.B;
    for (int k = 0; k < 3; ++k) x.C.c[k] = x.C.c[k] - transpose_times(x.B, x.K.c[k]);
    x.g += transpose_times(x.B, x.a);
    if (parent(i) < 0) return;
    Node& to = nodes_[parent(i)];
    const LaneMat moved = cross(x.d, x.C);
    to.B += moved;
    const LaneMat across = cross(x.d, transpose(moved));  // d^ (d^ C)^T = -d^ C d^
    to.A += across;
    to.C += x.C;
    to.n += x.r + cross(x.d, x.g);
    to.g += x.g;
  }

  // (BJ23)
  void expand(std::size_t i) {
    Node& x = nodes_[i];
    LaneVec v = LaneVec::zero(), before = v;
    if (parent(i) >= 0) {
      const Node& from = nodes_[parent(i)];
      before = from.w;
      v = from.v + cross(before, x.d);
    }
    x.v = v;
    x.w = x.a - x.K * v;
    kinetic_ += 0.5 * dot(x.r, x.w - before);
  }

  const Model& model_;
  const RecordedRows& run_;
  std::vector<Node> nodes_;
  Lane4 kinetic_{}, potential_{};
  bool known_ = true;
};

}  // namespace

std::vector<CheckedRow> rows_of_balls(const Model& model, const RecordedRows& run, const std::vector<std::size_t>& at) {
  std::vector<CheckedRow> found;
  const Elements& elements = model.elements;
  if (!model.only_balls() || !model.dynamic_only || !run.p || run.v || run.contacts.state ||
      elements.n_constraints > 0 || !elements.potentials.empty())
    return found;
  Rows rows(model, run);
  found.reserve(at.size());
  for (std::size_t first = 0; first < at.size(); first += width) {
    std::size_t these[width];
    for (std::size_t k = 0; k < width; ++k) these[k] = at[std::min(first + k, at.size() - 1)];
    if (!rows.velocities(these)) return {};
    const Lane4 kinetic = rows.kinetic(), potential = rows.potential();
    for (std::size_t k = 0; k < width && first + k < at.size(); ++k) {
      CheckedRow& row =
          found.emplace_back(CheckedRow{these[k], kinetic[k], potential[k], std::numeric_limits<double>::quiet_NaN(),
                                        std::vector<double>(model.n_variables)});
      rows.store_velocities(static_cast<int>(k), row.v.data());
    }
    if (!run.every_step || !run.chords || run.count < 2) continue;
    Lane4 dt{};
    for (std::size_t k = 0; k < width; ++k) {
      these[k] = std::min(these[k], run.count - 2);
      set_lane(dt, static_cast<int>(k), run.t[these[k] + 1] - run.t[these[k]]);
    }
    const Lane4 chord = rows.chord(these, dt);
    for (std::size_t k = 0; k < width && first + k < at.size(); ++k)
      if (found[first + k].at == these[k]) found[first + k].chord = chord[k];
  }
  return found;
}

}  // namespace bough
