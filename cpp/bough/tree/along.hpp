// What elements depend on, differentiated along one direction of the variables, q += e sigma.
//
// A dot is that derivative, p the parent of joint i. Every link moves by a twist, and with it its points and directions:
//
//   Sigma_i = Sigma_p + sigma_i J_i,   J'_i = ad(Sigma_p) J_i,   x' = w x x + v,   e' = w x e  with Sigma = (w, v)   (EA1)
//   (dx/ds_i)' = w'_i x x + w_i x x' + v'_i,   (de/ds_i)' = w'_i x e + w_i x e'                                    (EA2)
//   W(y):   W'_ij = y_ij' . W_y + y_ij . W_y' + y_i' . W_yy y_j + y_i . W_yy y_j' + y_i . W_yy' y_j                (EA3)
//   W(|y|): W_y = c y,  W_yy = c 1 + b n n^T,  c = W'/r,  b = W'' - c:   c' = (b/r) n . y',
//           b' = (W''' - b/r) n . y',   n' = (y' - n (n . y')) / r                                                (EA4)
//   y . z:  h'_ij of (VM1), term by term                                                                        (EA5)
//
// so that third derivatives contracted once cost little more than second ones. The three axes of a ball turn together, by all
// of its sigma: J'_i = ad(Sigma) J_i with the Sigma of its last joint.                                            (EA7)
#pragma once

#include <algorithm>
#include <utility>

#include "bough/tree/moving.hpp"

namespace bough {

class Along {
 public:
  // At the poses of `state`; sigma over variables.
  void sweep(const Model& model, const std::vector<JointState>& state, const double* sigma) {
    this->sigma = sigma;
    if (slots_.size() < model.joints.size() + 1) slots_.resize(model.joints.size() + 1);
    slots_[0] = {Twist::zero(), Twist::zero()};
    for (int i = 0; i < model.n(); ++i) set_slot(model, state, i + 1);
  }
  // The same if only the joints below slot `stop` move, for the slots at or above these two.
  void sweep_below(const Model& model, const std::vector<JointState>& state, const double* sigma, int stop,
                   const int (&ends)[2]) {
    this->sigma = sigma;
    if (slots_.size() < model.joints.size() + 1) slots_.resize(model.joints.size() + 1);
    for (int slot = stop; slot > 0; slot = model.joints[slot - 1].parent) slots_[slot] = {Twist::zero(), Twist::zero()};
    slots_[0] = {Twist::zero(), Twist::zero()};
    for (const int end : ends) {
      path_.clear();
      for (int slot = end; slot != stop; slot = model.joints[slot - 1].parent) path_.push_back(slot);
      for (std::size_t k = path_.size(); k-- > 0;) set_slot(model, state, path_[k]);
    }
  }
  struct Slot {
    Twist Sigma, J;  // J: its derivative
  };
  const Slot& operator[](int slot) const { return slots_[slot]; }
  const double* sigma = nullptr;

 private:
  // (EA1), (EA7)
  void set_slot(const Model& model, const std::vector<JointState>& state, int slot) {
    const Joint& joint = model.joints[slot - 1];
    const Twist &J = state[slot].J, &parent = slots_[joint.parent].Sigma;
    if (joint.ball >= 0) {
      if (joint.axis == 0) {
        ball_ = parent;
        for (int a = 0; a < 3; ++a) ball_ += sigma[joint.variable + a] * state[slot + a].J;
      }
      slots_[slot] = {parent + sigma[joint.variable] * J, ad(ball_, J)};
      return;
    }
    slots_[slot] = {parent + (joint.ratio * sigma[joint.variable]) * J, ad(parent, J)};
  }

  std::vector<Slot> slots_;
  std::vector<int> path_;
  Twist ball_;
};

inline Vec3 part_along(const Moving::Part& part, const Along& along) {
  const Twist& S = along[part.joint].Sigma;
  const Vec3 turn = cross(S.w, part.x);
  return part.point ? turn + S.v : turn;
}

// y' of a moving vector.
inline Vec3 value_along(const Moving& y, const Along& along) {
  Vec3 sum = Vec3::zero();
  for (int k = 0; k < y.parts; ++k) sum += y.part[k].sign * part_along(y.part[k], along);
  return sum;
}

// dy/dq and its derivative, by the joints below slot `stop`, part after part.
struct MovedColumns {
  struct Column {
    int slot, variable;
    double ratio;
    Vec3 y, dy;
  };
  std::vector<Column> columns;
  int ends[2] = {0, 0};  // of the parts

  void set(const Instant& at, const Along& along, const Moving& y, int stop) {
    columns.clear();
    for (int k = 0; k < y.parts; ++k) {
      const Moving::Part& part = y.part[k];
      const Vec3 x = part_along(part, along);
      for (int slot = part.joint; slot != stop; slot = at.model.joints[slot - 1].parent) {
        const Joint& joint = at.model.joints[slot - 1];
        const Twist &J = at.state[slot].J, &dJ = along[slot].J;
        Vec3 turn = cross(J.w, part.x), moved = cross(dJ.w, part.x) + cross(J.w, x);  // (EA2)
        if (part.point) {
          turn += J.v;
          moved += dJ.v;
        }
        const double factor = part.sign * joint.ratio;
        columns.push_back({slot, joint.variable, joint.ratio, factor * turn, factor * moved});
      }
      ends[k] = static_cast<int>(columns.size());
    }
    for (int k = y.parts; k < 2; ++k) ends[k] = static_cast<int>(columns.size());
  }
};

// H += factor (g . y_ij)' for joints of one part, with g' given.
inline void add_second_along(const Instant& at, const Along& along, const MovedColumns& of, const Vec3& g,
                             const Vec3& dg, double factor, double* H) {
  const std::size_t n = at.model.n_variables;
  for (int part = 0, begin = 0; part < 2; begin = of.ends[part++])
    for (int i = begin; i < of.ends[part]; ++i) {
      const auto& below = of.columns[i];
      // g . (w x y) = w . (y x g)
      const Vec3 c = factor * cross(below.y, g), dc = factor * (cross(below.dy, g) + cross(below.y, dg));
      for (int j = i; j < of.ends[part]; ++j) {
        const auto& above = of.columns[j];
        const double value = above.ratio * (dot(along[above.slot].J.w, c) + dot(at.state[above.slot].J.w, dc));
        H[n * below.variable + above.variable] += value;
        if (i != j) H[n * above.variable + below.variable] += value;
      }
    }
}

// H += factor times the derivative of d2(y . z)/dq dq                                                           (EA5)
inline void add_product_along(const Instant& at, const Along& along, const Moving& y, const Moving& z, double factor,
                              double* H) {
  thread_local MovedColumns of_y, of_z;
  const std::size_t n = at.model.n_variables;
  of_y.set(at, along, y, 0);
  of_z.set(at, along, z, 0);
  add_second_along(at, along, of_y, z.value, value_along(z, along), factor, H);
  add_second_along(at, along, of_z, y.value, value_along(y, along), factor, H);
  for (const auto& one : of_y.columns)
    for (const auto& other : of_z.columns) {
      const double value = factor * (dot(one.dy, other.y) + dot(one.y, other.dy));
      H[one.variable * n + other.variable] += value;
      H[other.variable * n + one.variable] += value;
    }
}

// row += factor times the derivative of d(y . z)/dq, over the joints below Instant::fork
inline void add_product_gradient_along(const Instant& at, const Along& along, const Moving& y, const Moving& z,
                                       double factor, double* row) {
  thread_local MovedColumns of;
  for (const auto& [moved, other] : {std::pair{&y, &z}, {&z, &y}}) {
    of.set(at, along, *moved, at.fork);
    const Vec3 g = other->value, dg = value_along(*other, along);
    for (const auto& one : of.columns) row[one.variable] += factor * (dot(g, one.dy) + dot(dg, one.y));
  }
}

}  // namespace bough
