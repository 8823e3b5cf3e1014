// Second derivatives of a function of the distance of two points, and their derivatives along a direction (EA3), (EA4).
//
// The columns dy/dq of either point stand four side by side, from the root to the point, those of the second point in blocks
// of their own: four entries of a row of the Hessian are made and added at once. With w the axes of joints and g = dW/dd, a
// row i has the entries
//
//   u_i . y_j + y_j . (g x w_i) for j below i on one path,   u_i . y_j + w_j . (y_i x g) above it,   u_i . y_j across (RW1)
//
// and i itself both ways.
#pragma once

#include <cstring>

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
    int variable[4];  // of the columns
    int count;        // how many there are
    bool in_a_row;    // four variables that follow each other
  };
  std::vector<Block> blocks;
  std::vector<int> slots;  // of a path
  int middle = 0;          // the first block of the second path

  // Columns by joints from below `stop` to `slot`: column(slot, x) sets the components.
  template <class Column>
  void add_path(const Model& model, int slot, int stop, Column column) {
    middle = static_cast<int>(blocks.size());
    slots.clear();
    for (; slot != stop; slot = model.joints[slot - 1].parent) slots.push_back(slot);
    for (std::size_t k = slots.size(); k-- > 0;) {
      if (static_cast<int>(blocks.size()) == middle || blocks.back().count == 4) blocks.push_back({});
      Block& block = blocks.back();
      Vec3 x[K / 3];
      column(slots[k], x);
      double* to = reinterpret_cast<double*>(block.x) + block.count;
      for (int c = 0; c < K; ++c) to[4 * c] = x[c / 3][c % 3];
      block.variable[block.count++] = model.joints[slots[k] - 1].variable;
    }
    for (std::size_t b = middle; b < blocks.size(); ++b) {
      const int* i = blocks[b].variable;
      blocks[b].in_a_row = blocks[b].count == 4 && i[1] == i[0] + 1 && i[2] == i[0] + 2 && i[3] == i[0] + 3;
    }
  }
  // Three components from k on of a column.
  static Vec3 vector(const Block& block, int column, int k) {
    const double* x = reinterpret_cast<const double*>(block.x) + column;
    return {x[4 * k], x[4 * k + 4], x[4 * k + 8]};
  }
  // c . x over three components from k on, for the columns of a block.
  static Lane4 product(const Block& block, const Vec3& c, int k) {
    const Lane4* x = block.x + k;
    return c[0] * x[0] + c[1] * x[1] + c[2] * x[2];
  }
  // row += value at the columns of a block.
  static void put(const Block& block, const Lane4& value, double* row) {
    if (block.in_a_row) {
      Lane4 sum;
      std::memcpy(&sum, row + block.variable[0], sizeof(Lane4));
      sum += value;
      std::memcpy(row + block.variable[0], &sum, sizeof(Lane4));
      return;
    }
    for (int c = 0; c < block.count; ++c) row[block.variable[c]] += value[c];
  }
  // Adds (RW1) to H: row(block, column) gives what stands across, below and above, for the columns of a block.
  template <class Row>
  void add_rows(std::size_t n, double* H, Row row) const {
    const int all = static_cast<int>(blocks.size());
    for (int b = 0; b < all; ++b) {
      const int begin = b < middle ? 0 : middle, end = b < middle ? middle : all;
      for (int c = 0; c < blocks[b].count; ++c) {
        double* to = H + n * blocks[b].variable[c];
        const auto of = row(blocks[b], c);
        const double* below = lanes_from + 4 - c;  // 1 from column c on
        const Lane4 mask{below[0], below[1], below[2], below[3]};
        for (int k = 0; k < begin; ++k) put(blocks[k], of.across(blocks[k]), to);
        for (int k = begin; k < b; ++k) put(blocks[k], of.across(blocks[k]) + of.above(blocks[k]), to);
        const Lane4 own = of.above(blocks[b]);
        put(blocks[b], of.across(blocks[b]) + own + mask * (of.below(blocks[b]) - own), to);
        for (int k = b + 1; k < end; ++k) put(blocks[k], of.across(blocks[k]) + of.below(blocks[k]), to);
        for (int k = end; k < all; ++k) put(blocks[k], of.across(blocks[k]), to);
      }
    }
  }

 private:
  static constexpr double lanes_from[8] = {0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0};
};

// H += factor d2W/dq dq, by (P1)
inline void add_radial_hessian(const Instant& at, const Point& a, const Point& b, const RadialFunction& W,
                               double factor, double* H) {
  using Blocks = PathBlocks<6>;  // y, w
  thread_local Blocks of;
  of.blocks.clear();
  const Vec3 d = a.x - b.x;
  const double r = norm(d), bend = r > 0.0 ? W.along - W.across : 0.0;
  const Vec3 n = r > 0.0 ? d / r : Vec3::zero(), g = (factor * W.across) * d;
  const int stop = fork(at.model, a.joint, b.joint);
  for (const auto& [point, sign] : {std::pair{&a, 1.0}, {&b, -1.0}})
    of.add_path(at.model, point->joint, stop, [&, sign = sign, x = point->x](int slot, Vec3(&column)[2]) {
      const double ratio = at.model.joints[slot - 1].ratio;
      column[0] = (sign * ratio) * point_dq(at.state[slot], x);
      column[1] = ratio * at.state[slot].J.w;
    });
  struct Row {
    Vec3 u, gw, yg;
    Lane4 across(const Blocks::Block& of) const { return Blocks::product(of, u, 0); }
    Lane4 below(const Blocks::Block& of) const { return Blocks::product(of, gw, 0); }
    Lane4 above(const Blocks::Block& of) const { return Blocks::product(of, yg, 3); }
  };
  of.add_rows(at.model.n_variables, H, [&](const Blocks::Block& block, int column) {
    const Vec3 y = Blocks::vector(block, column, 0), w = Blocks::vector(block, column, 3);
    return Row{(factor * W.across) * y + (factor * bend * dot(n, y)) * n, cross(g, w), cross(y, g)};
  });
}

// H += factor times the derivative of d2W/dq dq                                                                 (EA3), (EA4)
inline void add_radial_along(const Instant& at, const Along& along, const Point& a, const Point& b,
                             const RadialFunction& W, double factor, double* H) {
  using Blocks = PathBlocks<12>;  // y, w and their derivatives: y, y', w, w'
  thread_local Blocks of;
  of.blocks.clear();
  const Moving d = difference(a, b);
  const int stop = fork(at.model, a.joint, b.joint);
  for (const Moving::Part& part : d.part) {
    const Vec3 x = part_along(part, along);
    of.add_path(at.model, part.joint, stop, [&](int slot, Vec3(&column)[4]) {  // (EA2)
      const Twist &J = at.state[slot].J, &dJ = along[slot].J;
      const double ratio = at.model.joints[slot - 1].ratio, sign = part.sign * ratio;
      column[0] = sign * (cross(J.w, part.x) + J.v);
      column[1] = sign * (cross(dJ.w, part.x) + cross(J.w, x) + dJ.v);
      column[2] = ratio * J.w;
      column[3] = ratio * dJ.w;
    });
  }
  const double r = norm(d.value), inverse = r > 0.0 ? 1.0 / r : 0.0;
  const Vec3 n = inverse * d.value, y = value_along(d, along);
  const double rate = dot(n, y), c = W.across, bend = r > 0.0 ? W.along - c : 0.0, dc = bend * inverse * rate,
               dbend = (W.third - bend * inverse) * rate;
  const Vec3 dn = inverse * (y - rate * n), g = (factor * c) * d.value, dg = factor * (dc * d.value + c * y);
  struct Row {
    Vec3 u, du, gw, dgw, yg, dyg;
    Lane4 across(const Blocks::Block& of) const { return Blocks::product(of, du, 0) + Blocks::product(of, u, 3); }
    Lane4 below(const Blocks::Block& of) const { return Blocks::product(of, dgw, 0) + Blocks::product(of, gw, 3); }
    Lane4 above(const Blocks::Block& of) const { return Blocks::product(of, dyg, 6) + Blocks::product(of, yg, 9); }
  };
  of.add_rows(at.model.n_variables, H, [&](const Blocks::Block& block, int column) {
    const Vec3 own = Blocks::vector(block, column, 0), moved = Blocks::vector(block, column, 3);
    const Vec3 w = Blocks::vector(block, column, 6), dw = Blocks::vector(block, column, 9);
    const double along_n = dot(n, own), change = dot(dn, own) + dot(n, moved);
    return Row{factor * (c * own + (bend * along_n) * n),
               factor * (c * moved + dc * own + (dbend * along_n + bend * change) * n + (bend * along_n) * dn),
               cross(g, w),
               cross(dg, w) + cross(g, dw),
               cross(own, g),
               cross(moved, g) + cross(own, dg)};
  });
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
