// Second derivatives of a function of the distance of two points, and their derivatives along a direction (EA3), (EA4).
//
// The columns dy/dq of either point stand four side by side, those of the second point in blocks of their own: an entry of
// the Hessian is a product of three or six components, which four entries make at once.
#pragma once

#include "bough/tree/along.hpp"

namespace bough {

// A function W of the distance r of two points: W' / r, W'' and the third derivative. If they coincide n is taken as zero.
struct RadialFunction {
  double across, along, third;
};

// Columns of K components by the variables of two paths.
template <int K>
struct PathBlocks {
  struct Block {
    Lane4 x[K];
  };
  std::vector<Block> blocks;
  std::vector<int> variable;  // of each column; -1 for one that only fills a block
  int middle = 0;             // the first block of the second path

  void clear() {
    blocks.clear();
    variable.clear();
  }
  void add(int of_variable, const Vec3 (&x)[K / 3]) {
    if (variable.size() == 4 * blocks.size()) blocks.push_back({});
    double* to = reinterpret_cast<double*>(blocks.back().x) + variable.size() % 4;
    variable.push_back(of_variable);
    for (int k = 0; k < K; ++k) to[4 * k] = x[k / 3][k % 3];
  }
  void fill_block() { variable.resize(4 * blocks.size(), -1); }
  // Three components from k on of column i.
  Vec3 vector(int i, int k) const {
    const double* x = reinterpret_cast<const double*>(blocks[i / 4].x) + i % 4;
    return {x[4 * k], x[4 * k + 4], x[4 * k + 8]};
  }
  // The end of the path that column i is on.
  int end_of_path(int i) const { return i < 4 * middle ? middle : static_cast<int>(blocks.size()); }
  // c . x over three components from k on, for the columns of block b.
  Lane4 product(int b, const Vec3& c, int k) const {
    const Lane4* x = blocks[b].x + k;
    return c[0] * x[0] + c[1] * x[1] + c[2] * x[2];
  }
  // H += value, in both halves, at column i and the columns of block b that are not before it.
  void put(int i, int b, const Lane4& value, std::size_t n, double* H) const {
    for (int c = 0; c < 4; ++c) {
      const int j = 4 * b + c;
      if (j < i || variable[j] < 0) continue;
      H[n * variable[i] + variable[j]] += value[c];
      if (i != j) H[n * variable[j] + variable[i]] += value[c];
    }
  }
};

// H += factor d2W/dq dq
inline void add_radial_hessian(const Instant& at, const Point& a, const Point& b, const RadialFunction& W,
                               double factor, double* H) {
  thread_local PathBlocks<6> of;  // y, w
  of.clear();
  const std::size_t n_variables = at.model.n_variables;
  const Vec3 d = a.x - b.x;
  const double r = norm(d), bend = r > 0.0 ? W.along - W.across : 0.0;
  const Vec3 n = r > 0.0 ? d / r : Vec3::zero(), g = (factor * W.across) * d;
  const int stop = fork(at.model, a.joint, b.joint);
  for (const auto& [point, sign] : {std::pair{&a, 1.0}, {&b, -1.0}}) {
    of.middle = static_cast<int>(of.blocks.size());
    for (int slot = point->joint; slot != stop; slot = at.model.joints[slot - 1].parent) {
      const Joint& joint = at.model.joints[slot - 1];
      of.add(joint.variable,
             {(sign * joint.ratio) * point_dq(at.state[slot], point->x), joint.ratio * at.state[slot].J.w});
    }
    of.fill_block();
  }
  const int blocks = static_cast<int>(of.blocks.size());
  for (int i = 0; i < 4 * blocks; ++i) {
    if (of.variable[i] < 0) continue;
    const Vec3 y = of.vector(i, 0), c = cross(y, g);
    const Vec3 u = (factor * W.across) * y + (factor * bend * dot(n, y)) * n;
    const int end = of.end_of_path(i);
    for (int k = i / 4; k < end; ++k) of.put(i, k, of.product(k, u, 0) + of.product(k, c, 3), n_variables, H);  // (P1)
    for (int k = end; k < blocks; ++k) of.put(i, k, of.product(k, u, 0), n_variables, H);
  }
}

// H += factor times the derivative of d2W/dq dq                                                                 (EA3), (EA4)
inline void add_radial_along(const Instant& at, const Along& along, const Point& a, const Point& b,
                             const RadialFunction& W, double factor, double* H) {
  thread_local PathBlocks<12> of;  // y, w and their derivatives: y, y', w, w'
  of.clear();
  const std::size_t n_variables = at.model.n_variables;
  const Moving d = difference(a, b);
  const int stop = fork(at.model, a.joint, b.joint);
  for (const Moving::Part& part : d.part) {
    of.middle = static_cast<int>(of.blocks.size());
    const Vec3 x = part_along(part, along);
    for (int slot = part.joint; slot != stop; slot = at.model.joints[slot - 1].parent) {
      const Joint& joint = at.model.joints[slot - 1];
      const Twist &J = at.state[slot].J, &dJ = along[slot].J;
      const double sign = part.sign * joint.ratio;
      of.add(joint.variable, {sign * (cross(J.w, part.x) + J.v), sign * (cross(dJ.w, part.x) + cross(J.w, x) + dJ.v),
                              joint.ratio * J.w, joint.ratio * dJ.w});  // (EA2)
    }
    of.fill_block();
  }
  const double r = norm(d.value), inverse = r > 0.0 ? 1.0 / r : 0.0;
  const Vec3 n = inverse * d.value, y = value_along(d, along);
  const double rate = dot(n, y), c = W.across, bend = r > 0.0 ? W.along - c : 0.0, dc = bend * inverse * rate,
               dbend = (W.third - bend * inverse) * rate;
  const Vec3 dn = inverse * (y - rate * n), g = (factor * c) * d.value, dg = factor * (dc * d.value + c * y);
  const int blocks = static_cast<int>(of.blocks.size());
  for (int i = 0; i < 4 * blocks; ++i) {
    if (of.variable[i] < 0) continue;
    const Vec3 own = of.vector(i, 0), moved = of.vector(i, 3);
    const double along_n = dot(n, own), change = dot(dn, own) + dot(n, moved);
    const Vec3 u = factor * (c * own + (bend * along_n) * n);
    const Vec3 v = factor * (c * moved + dc * own + (dbend * along_n + bend * change) * n + (bend * along_n) * dn);
    const Vec3 e = cross(own, g), de = cross(moved, g) + cross(own, dg);  // g . (w x y) = w . (y x g)
    const int end = of.end_of_path(i);
    for (int k = i / 4; k < blocks; ++k) {
      Lane4 value = of.product(k, v, 0) + of.product(k, u, 3);
      if (k < end) value += of.product(k, e, 9) + of.product(k, de, 6);
      of.put(i, k, value, n_variables, H);
    }
  }
}

// row += factor times the derivative of dW/dq
inline void add_radial_gradient_along(const Instant& at, const Along& along, const Point& a, const Point& b,
                                      const RadialFunction& W, double factor, double* row) {
  thread_local MovedColumns of;
  const Moving d = difference(a, b);
  of.set(at, along, d, fork(at.model, a.joint, b.joint));
  const double r = norm(d.value), inverse = r > 0.0 ? 1.0 / r : 0.0;
  const Vec3 n = inverse * d.value, y = value_along(d, along);
  const double bend = r > 0.0 ? W.along - W.across : 0.0;
  const Vec3 g = W.across * d.value, dg = W.across * y + (bend * dot(n, y)) * n;
  for (const auto& one : of.columns) row[one.variable] += factor * (dot(g, one.dy) + dot(dg, one.y));
}

}  // namespace bough
