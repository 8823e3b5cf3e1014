// Frame a keeps a pose relative to frame b: a coincides with b', which is b moved by that pose. In the axes b_k of b',
//
//   h_k = b_k . (x_a - x_b'),  k = 0, 1, 2
//   h_(3+k) = 2 sin(angle/2) n_k = s_k / sqrt(c),  s_k = b_(k+2) . a_(k+1) - b_(k+1) . a_(k+2),  c = 1 + sum_k a_k . b_k
//
// for a rotation by an angle about the axis n from b' to a. These rows are zero at the identity alone (s_k / 2 = sin(angle)
// n_k would also be at half a turn), and there their rate is the angular velocity of a relative to b' in b's axes. By (VM1),
//
//   d(s c^-1/2)  = c^-1/2 s_i - 1/2 c^-3/2 s c_i                                                               (WD1)
//   d2(s c^-1/2) = c^-1/2 s_ij - 1/2 c^-3/2 (s_i c_j + s_j c_i + s c_ij) + 3/4 c^-5/2 s c_i c_j                (WD2)
//   d3(s c^-1/2) = c^-1/2 s_ijk - 1/2 c^-3/2 (sum (s_ij c_k + s_k c_ij) + s c_ijk)
//                  + 3/4 c^-5/2 (sum (s_k c_i c_j + s c_ij c_k)) - 15/8 c^-7/2 s c_i c_j c_k                   (WD3)
//
// with sums over the three ways to single out one of i, j, k, and (P5) of moving_third.hpp. Along a direction, with dots for
// derivatives along it, f0 = c^-1/2, f1 = -1/2 c^-3/2, f2 = 3/4 c^-5/2 and f3 = -15/8 c^-7/2,
//
//   (s c^-1/2)_i'  = f0 s_i' + f1 (c' s_i + s' c_i + s c_i') + f2 s c' c_i                                       (WD4)
//   (s c^-1/2)_ij' = f0 s_ij' + f1 (c' s_ij + s' c_ij + s c_ij' + sym(s_i' c_j + s_i c_j'))
//                    + f2 (c' (s c_ij + sym(s_i c_j)) + s' c_i c_j + s sym(c_i' c_j)) + f3 c' s c_i c_j          (WD5)
//
// with sym x_ij = x_ij + x_ji.
//
// Record: frames (a, b), values (pose of a in b, rows of [R p]: 12).
#include "bough/tree/along.hpp"
#include "bough/tree/catalogue.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/moving_third.hpp"

namespace bough {
namespace {

class WeldConstraint final : public Constraint, public ConstraintDerivatives {
 public:
  explicit WeldConstraint(const ElementRecord& r) : a_(r.frames[0]), b_(r.frames[1]) {
    const double* m = r.values.data();
    const Pose pose{Mat3::from_rows(m, 4), Vec3(m[3], m[7], m[11])};
    b_.X = b_.X * pose;
    b_.reach += norm(pose.p);
  }

  int rows() const override { return 6; }

  void value(const Instant& at, double* h, double* scale) const override {
    const Axes x(*this, at);
    const Point a = point(a_, at.state), b = point(b_, at.state);
    for (int k = 0; k < 3; ++k) {
      h[k] = dot(x.b[k].value, a.x - b.x);
      scale[k] = norm(a.x) + norm(b.x) + a.reach + b.reach;
      h[3 + k] = x.s(k) / std::sqrt(x.c);
      scale[3 + k] = 1.0;
    }
  }
  void gradient(const Instant& at, double* Dh) const override {
    const std::size_t n = at.model.n_variables;
    const Axes x(*this, at);
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    thread_local std::vector<double> c_i;
    c_i.assign(n, 0.0);
    add_trace_gradient(at, x, c_i.data());
    const double root = 1.0 / std::sqrt(x.c);
    for (int k = 0; k < 3; ++k) {
      add_product_gradient(at, x.b[k], d, 1.0, Dh + k * n);
      double* row = Dh + (3 + k) * n;  // (WD1)
      add_twist_gradient(at, x, k, root, row);
      const double factor = -0.5 * root * root * root * x.s(k);
      for (std::size_t i = 0; i < n; ++i) row[i] += factor * c_i[i];
    }
  }
  void hessian(const Instant& at, double* H) const override {
    const std::size_t n = at.model.n_variables;
    const Axes x(*this, at);
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    thread_local std::vector<double> c_i, s_i, c_ij;
    c_i.assign(n, 0.0);
    c_ij.assign(n * n, 0.0);
    add_trace_gradient(at, x, c_i.data());
    for (int k = 0; k < 3; ++k) add_product_hessian(at, x.a[k], x.b[k], 1.0, c_ij.data());
    const double root = 1.0 / std::sqrt(x.c), third = -0.5 * root * root * root;
    for (int k = 0; k < 3; ++k) {
      add_product_hessian(at, x.b[k], d, 1.0, H + k * n * n);
      const double s = x.s(k);
      s_i.assign(n, 0.0);
      add_twist_gradient(at, x, k, 1.0, s_i.data());
      double* out = H + (3 + k) * n * n;  // (WD2)
      add_product_hessian(at, x.b[(k + 2) % 3], x.a[(k + 1) % 3], root, out);
      add_product_hessian(at, x.b[(k + 1) % 3], x.a[(k + 2) % 3], -root, out);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          out[i * n + j] += third * (s_i[i] * c_i[j] + s_i[j] * c_i[i] + s * c_ij[i * n + j] -
                                     1.5 * root * root * s * c_i[i] * c_i[j]);
    }
  }
  void add_hessian(const Instant& at, const double* weights, double* H) const override {
    const std::size_t size = static_cast<std::size_t>(at.model.n_variables) * at.model.n_variables;
    thread_local std::vector<double> all;
    all.assign(6 * size, 0.0);
    hessian(at, all.data());
    for (int k = 0; k < 6; ++k)
      for (std::size_t i = 0; i < size; ++i) H[i] += weights[k] * all[k * size + i];
  }
  bool has_along() const override { return true; }
  void add_gradient_along(const Instant& at, const Along& along, double* C) const override {
    const std::size_t n = at.model.n_variables;
    const Axes x(*this, at);
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    thread_local std::vector<double> c_i, dc_i, s_i;
    c_i.assign(n, 0.0);
    dc_i.assign(n, 0.0);
    add_trace_gradient(at, x, c_i.data());
    for (int k = 0; k < 3; ++k) add_product_gradient_along(at, along, x.a[k], x.b[k], 1.0, dc_i.data());
    const double f0 = 1.0 / std::sqrt(x.c), f1 = -0.5 * f0 / x.c, f2 = -1.5 * f1 / x.c, c_dot = x.trace_along(along);
    for (int k = 0; k < 3; ++k) {
      add_product_gradient_along(at, along, x.b[k], d, 1.0, C + k * n);
      double* row = C + (3 + k) * n;  // (WD4)
      const auto& [b2, a1, b1, a2] = x.turn(k);
      s_i.assign(n, 0.0);
      add_twist_gradient(at, x, k, 1.0, s_i.data());
      add_product_gradient_along(at, along, *b2, *a1, f0, row);
      add_product_gradient_along(at, along, *b1, *a2, -f0, row);
      const double s = x.s(k), s_dot = x.turn_along(along, k);
      for (std::size_t i = 0; i < n; ++i)
        row[i] += f1 * (c_dot * s_i[i] + s_dot * c_i[i] + s * dc_i[i]) + f2 * s * c_dot * c_i[i];
    }
  }
  void add_hessian_along(const Instant& at, const Along& along, const double* weights, double* H) const override {
    const std::size_t n = at.model.n_variables;
    const Axes x(*this, at);
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    thread_local std::vector<double> c_i, dc_i, c_ij, s_i, ds_i, s_ij;
    for (auto* to : {&c_i, &dc_i}) to->assign(n, 0.0);
    c_ij.assign(n * n, 0.0);
    add_trace_gradient(at, x, c_i.data());
    double of_trace = 0.0;  // the factor of c_ij' in all rows
    const double f0 = 1.0 / std::sqrt(x.c), f1 = -0.5 * f0 / x.c, f2 = -1.5 * f1 / x.c, f3 = -2.5 * f2 / x.c;
    const double c_dot = x.trace_along(along);
    for (int k = 0; k < 3; ++k) {
      add_product_gradient_along(at, along, x.a[k], x.b[k], 1.0, dc_i.data());
      add_product_hessian(at, x.a[k], x.b[k], 1.0, c_ij.data());
    }
    for (int k = 0; k < 3; ++k) {
      add_product_along(at, along, x.b[k], d, weights[k], H);
      const double w = weights[3 + k], s = x.s(k), s_dot = x.turn_along(along, k);
      const auto& [b2, a1, b1, a2] = x.turn(k);
      for (auto* to : {&s_i, &ds_i}) to->assign(n, 0.0);
      s_ij.assign(n * n, 0.0);
      add_twist_gradient(at, x, k, 1.0, s_i.data());
      add_product_gradient_along(at, along, *b2, *a1, 1.0, ds_i.data());
      add_product_gradient_along(at, along, *b1, *a2, -1.0, ds_i.data());
      add_product_hessian(at, *b2, *a1, 1.0, s_ij.data());
      add_product_hessian(at, *b1, *a2, -1.0, s_ij.data());
      add_product_along(at, along, *b2, *a1, w * f0, H);  // (WD5)
      add_product_along(at, along, *b1, *a2, -w * f0, H);
      of_trace += w * f1 * s;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          const std::size_t e = i * n + j;
          const double cc = c_i[i] * c_i[j];
          H[e] += w * (f1 * (c_dot * s_ij[e] + s_dot * c_ij[e] + ds_i[i] * c_i[j] + ds_i[j] * c_i[i] +
                             s_i[i] * dc_i[j] + s_i[j] * dc_i[i]) +
                       f2 * (c_dot * (s * c_ij[e] + s_i[i] * c_i[j] + s_i[j] * c_i[i]) + s_dot * cc +
                             s * (dc_i[i] * c_i[j] + dc_i[j] * c_i[i])) +
                       f3 * c_dot * s * cc);
        }
    }
    for (int k = 0; k < 3; ++k) add_product_along(at, along, x.a[k], x.b[k], of_trace, H);
  }
  bool has_third() const override { return true; }
  void third(const Instant& at, double* T) const override {
    const std::size_t n = at.model.n_variables, cube = n * n * n;
    const Axes x(*this, at);
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    thread_local std::vector<double> c_i, c_ij, c_ijk, s_i, s_ij;
    c_i.assign(n, 0.0);
    c_ij.assign(n * n, 0.0);
    c_ijk.assign(cube, 0.0);
    add_trace_gradient(at, x, c_i.data());
    for (int k = 0; k < 3; ++k) {
      add_product_hessian(at, x.a[k], x.b[k], 1.0, c_ij.data());
      add_product_third(at, x.a[k], x.b[k], 1.0, c_ijk.data());
    }
    const double f0 = 1.0 / std::sqrt(x.c), f1 = -0.5 * f0 / x.c, f2 = -1.5 * f1 / x.c, f3 = -2.5 * f2 / x.c;
    for (int row = 0; row < 3; ++row) {
      add_product_third(at, x.b[row], d, 1.0, T + row * cube);
      const Moving &b2 = x.b[(row + 2) % 3], &a1 = x.a[(row + 1) % 3], &b1 = x.b[(row + 1) % 3],
                   &a2 = x.a[(row + 2) % 3];
      const double s = x.s(row);
      s_i.assign(n, 0.0);
      s_ij.assign(n * n, 0.0);
      add_twist_gradient(at, x, row, 1.0, s_i.data());
      add_product_hessian(at, b2, a1, 1.0, s_ij.data());
      add_product_hessian(at, b1, a2, -1.0, s_ij.data());
      double* out = T + (3 + row) * cube;  // (WD3)
      add_product_third(at, b2, a1, f0, out);
      add_product_third(at, b1, a2, -f0, out);
      const auto one = [&](std::size_t i, std::size_t j, std::size_t k) {
        return f1 * (s_ij[i * n + j] * c_i[k] + s_i[k] * c_ij[i * n + j]) +
               f2 * (s_i[k] * c_i[i] * c_i[j] + s * c_ij[i * n + j] * c_i[k]);
      };
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          for (std::size_t k = 0; k <= j; ++k)
            add_orders(out, n, i, j, k, i == j, j == k,
                       one(i, j, k) + one(j, k, i) + one(k, i, j) +
                           s * (f1 * c_ijk[(i * n + j) * n + k] + f3 * c_i[i] * c_i[j] * c_i[k]));
    }
  }
  void bias(const Instant& at, double* out) const override {
    const Axes x(*this, at);
    const Moving d = difference(point(a_, at.state), point(b_, at.state));
    const Rates dd = rates(at, d);
    Rates a[3], b[3];
    double c_t = 0.0, c_tt = 0.0;
    for (int k = 0; k < 3; ++k) {
      a[k] = rates(at, x.a[k]);
      b[k] = rates(at, x.b[k]);
      c_t += dot(a[k].first, x.b[k].value) + dot(x.a[k].value, b[k].first);
      c_tt += product_bias(x.a[k], a[k], x.b[k], b[k]);
    }
    const double root = 1.0 / std::sqrt(x.c), third = -0.5 * root * root * root;
    for (int k = 0; k < 3; ++k) {
      out[k] = product_bias(x.b[k], b[k], d, dd);
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const double s_t = dot(b[j].first, x.a[i].value) + dot(x.b[j].value, a[i].first) - dot(b[i].first, x.a[j].value) -
                         dot(x.b[i].value, a[j].first);
      const double s_tt = product_bias(x.b[j], b[j], x.a[i], a[i]) - product_bias(x.b[i], b[i], x.a[j], a[j]);
      // (WD2), with time in the place of both variables
      out[3 + k] = root * s_tt + third * (2.0 * s_t * c_t + x.s(k) * c_tt - 1.5 * root * root * x.s(k) * c_t * c_t);
    }
  }

  Support support(const Model& model) const override { return relative_support(model, {a_.joint, b_.joint}); }

 private:
  struct Axes {
    Moving a[3], b[3];
    double c = 1.0;
    Axes(const WeldConstraint& weld, const Instant& at) {
      for (int k = 0; k < 3; ++k) {
        a[k] = direction(weld.a_, Vec3::unit(k), at.state);
        b[k] = direction(weld.b_, Vec3::unit(k), at.state);
        c += dot(a[k].value, b[k].value);
      }
    }
    // b_(k+2), a_(k+1), b_(k+1), a_(k+2): those of s_k.
    struct Turn {
      const Moving *b2, *a1, *b1, *a2;
    };
    Turn turn(int k) const {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      return {&b[j], &a[i], &b[i], &a[j]};
    }
    static double product_along(const Along& along, const Moving& y, const Moving& z) {
      return dot(value_along(y, along), z.value) + dot(y.value, value_along(z, along));
    }
    double trace_along(const Along& along) const {
      double sum = 0.0;
      for (int k = 0; k < 3; ++k) sum += product_along(along, a[k], b[k]);
      return sum;
    }
    double turn_along(const Along& along, int k) const {
      const auto [b2, a1, b1, a2] = turn(k);
      return product_along(along, *b2, *a1) - product_along(along, *b1, *a2);
    }
    double s(int k) const {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      return dot(b[j].value, a[i].value) - dot(b[i].value, a[j].value);
    }
  };

  static void add_trace_gradient(const Instant& at, const Axes& x, double* c_i) {
    for (int k = 0; k < 3; ++k) add_product_gradient(at, x.a[k], x.b[k], 1.0, c_i);
  }
  static void add_twist_gradient(const Instant& at, const Axes& x, int k, double factor, double* s_i) {
    add_product_gradient(at, x.b[(k + 2) % 3], x.a[(k + 1) % 3], factor, s_i);
    add_product_gradient(at, x.b[(k + 1) % 3], x.a[(k + 2) % 3], -factor, s_i);
  }

  FramePlace a_, b_;
};

}  // namespace

std::shared_ptr<const Constraint> make_weld_constraint(const ElementRecord& record) {
  return std::make_shared<WeldConstraint>(record);
}

}  // namespace bough
