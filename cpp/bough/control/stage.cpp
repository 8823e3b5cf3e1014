#include "bough/control/stage.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

namespace bough {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
struct Step {
  SixT<T> xi;
  PoseT<T> move;
  std::vector<T> u, D1, D2;
  SixT<T> momentum;  // Ad(g)^T pi
  T locked[6][6];    // Ibar
  bool solved = true;

  void fit(int n) {
    u.resize(n);
    D1.resize(n);
    D2.resize(n);
  }
  void evaluate(const Steps& steps, const Shape<T>& s0, const Shape<T>& s1);

 private:
  void solve_momentum(double h, const SixT<T>& Au);
  void forces(const Steps& steps, const Shape<T>& s0, const Shape<T>& s1, const SixT<T>& Au);
};

template <class T, class M>
SixT<T> apply(const M (&matrix)[6][6], const SixT<T>& x) {
  SixT<T> y;
  for (int i = 0; i < 6; ++i) {
    y[i] = T(0.0);
    for (int j = 0; j < 6; ++j) add_product(y[i], T(matrix[i][j]), x[j]);
  }
  return y;
}

// What (CM1) leaves.
template <class T, class M>
SixT<T> momentum_residual(const M (&locked)[6][6], const SixT<T>& Au, const SixT<T>& wanted, double h,
                          const SixT<T>& xi) {
  SixT<T> Om = xi;
  Om += Au;
  return cayley_derivative_inverse_transpose(T(h) * xi, apply(locked, Om)) - wanted;
}

template <class T>
SixT<double> values(const SixT<T>& x) {
  SixT<double> y;
  for (int i = 0; i < 6; ++i) y[i] = value(x[i]);
  return y;
}

// Newton's method for (CM1) in plain numbers, from the twist at which the momentum of the locked tree is the wanted one.
// Returns the inverse of the derivative of the residual at the solution.
bool solve_base(const double (&locked)[6][6], const SixT<double>& Au, const SixT<double>& wanted, double h,
                SixT<double>& xi, Matrix6& inverse) {
  using J = Jet<6>;
  const JetScope<6> scope(6);
  SixT<J> Au_jet, wanted_jet, x;
  Matrix6 I;
  for (int i = 0; i < 6; ++i) {
    Au_jet[i] = J(Au[i]);
    wanted_jet[i] = J(wanted[i]);
    for (int j = 0; j < 6; ++j) I(i, j) = locked[i][j];
  }
  Vector6 at, residual;
  for (int i = 0; i < 6; ++i) at(i) = wanted[i];
  at = I.ldlt().solve(at).eval();
  for (int i = 0; i < 6; ++i) at(i) -= Au[i];
  double before = 0.0;
  for (int iteration = 0; iteration < 30; ++iteration) {
    for (int i = 0; i < 6; ++i) x[i] = J::variable(at(i), i);
    const SixT<J> left = momentum_residual(locked, Au_jet, wanted_jet, h, x);
    Matrix6 derivative;
    for (int i = 0; i < 6; ++i) {
      residual(i) = left[i].v;
      for (int j = 0; j < 6; ++j) derivative(i, j) = left[i].first(j);
    }
    inverse = derivative.inverse();
    const Vector6 step = inverse * residual;
    if (!step.allFinite()) return false;
    at -= step;
    const double size = step.norm(), scale = at.norm();
    for (int i = 0; i < 6; ++i) xi[i] = at(i);
    // quadratic convergence: a step at round-off, or one that no longer shrinks near it, is the last
    if (size <= 1e-15 * scale || (iteration > 0 && size <= 1e-12 * scale && size >= 0.5 * before)) return true;
    before = size;
  }
  return false;
}

template <class T>
void Step<T>::solve_momentum(double h, const SixT<T>& Au) {
  double I[6][6];
  for (int i = 0; i < 36; ++i) I[i / 6][i % 6] = value(locked[i / 6][i % 6]);
  SixT<double> at;
  Matrix6 inverse;
  solved = solve_base(I, values(Au), values(momentum), h, at, inverse);
  for (int i = 0; i < 6; ++i) xi[i] = T(at[i]);
  if constexpr (is_jet<T>) {
    // each correction with the derivative at the solution makes one more order of derivatives exact
    for (int order = 0; order < 2; ++order) {
      const SixT<T> left = momentum_residual(locked, Au, momentum, h, xi);
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) xi[i] -= T(inverse(i, j)) * left[j];
    }
  }
}

template <class T>
void Step<T>::evaluate(const Steps& steps, const Shape<T>& s0, const Shape<T>& s1) {
  SixT<T> Au = s0.connection(u.data());
  Au += s1.connection(u.data());
  Au = T(0.5) * Au;
  if (steps.pi == nullptr) {
    xi = T(-1.0) * Au;
  } else {
    for (int i = 0; i < 36; ++i) locked[i / 6][i % 6] = T(0.5) * (s0.locked[i / 6][i % 6] + s1.locked[i / 6][i % 6]);
    solve_momentum(steps.h, Au);
  }
  move = cayley(T(steps.h) * xi);  // (CM2)
  if (steps.dynamic) return forces(steps, s0, s1, Au);
  for (std::size_t a = 0; a < u.size(); ++a) {
    D1[a] = -u[a];
    D2[a] = u[a];
  }
}

template <class T>
void Step<T>::forces(const Steps& steps, const Shape<T>& s0, const Shape<T>& s1, const SixT<T>& Au) {
  const int n = static_cast<int>(u.size());
  const bool moving = steps.pi != nullptr;
  SixT<T> Om = xi, mu;
  Om += Au;
  if (moving) mu = apply(locked, Om);
  for (int end = 0; end < 2; ++end) {
    const Shape<T>& s = end == 0 ? s0 : s1;
    std::vector<T>& D = end == 0 ? D1 : D2;
    std::fill(D.begin(), D.end(), T(0.0));
    const double half = 0.5 * steps.h;
    SixT<T> V = T(-1.0) * s.connection(u.data());
    if (moving) {  // (CM4)
      const SixT<T> eta = s.solve(mu);
      s.add_gradient(steps.model, half, Om, nullptr, D.data());
      s.add_gradient(steps.model, -half, eta, nullptr, D.data());
      V += eta;
    }
    s.add_gradient(steps.model, half, V, u.data(), D.data());
  }
  for (int a = 0; a < n; ++a) {  // (CM3)
    T p(0.0);
    for (int b = 0; b < n; ++b) p += T(0.5) * ((s0.M[a * n + b] + s1.M[a * n + b]) * u[b]);
    if (moving) p += T(0.5) * (dot(s0.A[a], mu) + dot(s1.A[a], mu));
    D1[a] -= p;
    D2[a] += p;
  }
}

template <class T>
PoseT<T> pose_from(const double* g) {
  PoseT<T> y;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) y.R.a[i][j] = T(g[4 * i + j]);
    y.p.a[i] = T(g[4 * i + 3]);
  }
  return y;
}

template <class T>
SixT<T> body_momentum(const double* pi, const PoseT<T>& g) {
  SixT<T> y;
  for (int i = 0; i < 6; ++i) y[i] = T(pi[i]);
  return adjoint_transpose(g, y);
}

void store(const PoseT<double>& g, double* out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[4 * i + j] = g.R.a[i][j];
    out[4 * i + 3] = g.p.a[i];
  }
  for (int j = 0; j < 4; ++j) out[12 + j] = j == 3 ? 1.0 : 0.0;
}

// The derivatives of one step after the other by the jet variables (delta, r, u).
template <int Max>
class Differentiator {
 public:
  using J = Jet<Max>;
  Differentiator(const Steps& steps, const double* g, const double* r)
      : steps_(steps), n_(steps.n()), g_(g), r_(r), scope_(base_joints + 2 * n_), shapes_(2), lifted_(2), at_(n_) {
    for (int i = 0; i < 2; ++i) {
      shapes_[i].fit(steps.model);
      lifted_[i].fit(steps.model);
    }
    step.fit(n_);
    shape(steps.count);
  }

  Step<J> step;
  SixT<J> arrived;  // delta at the end of the step

  // Steps are visited from the last to the first.
  void visit(int k) {
    shape(k);
    const bool all = steps_.dynamic || steps_.pi != nullptr;
    lifted_[0].lift(shapes_[k % 2], all, n_, base_joints);
    lifted_[1].lift(shapes_[(k + 1) % 2], all, n_, base_joints, base_joints + n_, steps_.h);
    for (int a = 0; a < n_; ++a) step.u[a] = J::variable(steps_.u[k * n_ + a], base_joints + n_ + a);
    SixT<J> delta;
    for (int i = 0; i < 6; ++i) delta[i] = J::variable(0.0, i);
    const PoseT<J> nudge = cayley(delta);
    if (steps_.pi != nullptr) step.momentum = body_momentum(steps_.pi, pose_from<J>(g_ + 16 * k) * nudge);
    step.evaluate(steps_, lifted_[0], lifted_[1]);
    arrived = cayley_inverse(inverse(constant(step.move)) * (nudge * step.move));
  }
  int variables() const { return base_joints + 2 * n_; }
  // Where variable i belongs in z = (delta, r, p, u).
  int column(int i) const { return i < base_joints + n_ ? i : i + n_; }

 private:
  Steps steps_;
  int n_;
  const double *g_, *r_;
  JetScope<Max> scope_;
  std::vector<Shape<J>> shapes_, lifted_;  // of r alone; of the variables of the step
  std::vector<J> at_;

  void shape(int k) {
    const JetScope<Max> scope(n_);
    for (int a = 0; a < n_; ++a) at_[a] = J::variable(r_[k * n_ + a], a);
    shapes_[k % 2].evaluate(steps_.model, at_.data(), steps_.dynamic);
  }
  static PoseT<J> constant(const PoseT<J>& g) {
    PoseT<J> y;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) y.R.a[i][j] = J(g.R.a[i][j].v);
      y.p.a[i] = J(g.p.a[i].v);
    }
    return y;
  }
};

template <int Max>
void differentiate_with(const Steps& steps, const double* g, const double* r, const double* gamma, const double* direct,
                        double* J, double* F, double* H, double* costate, double* gradient) {
  const int n = steps.n(), nx = steps.state(), nz = steps.stage();
  const double per_force = -2.0 / steps.h;
  Differentiator<Max> at(steps, g, r);
  Eigen::VectorXd total(nz);
  for (std::ptrdiff_t k = steps.count - 1; k >= 0; --k) {
    at.visit(static_cast<int>(k));
    Eigen::Map<RowMatrix> Jk(J + k * nx * nz, nx, nz), Fk(F + k * n * nz, n, nz), Hk(H + k * nz * nz, nz, nz);
    Jk.setZero();
    Fk.setZero();
    Hk.setZero();
    const double* lam = costate + (k + 1) * nx;
    // row of the next state += sign dy,  H += weight ddy
    const auto add = [&](const Jet<Max>& y, int row, double sign, double weight) {
      if (y.flat) return;
      for (int i = 0; i < at.variables(); ++i) {
        Jk(row, at.column(i)) += sign * y.first(i);
        for (int j = 0; j < at.variables(); ++j) Hk(at.column(i), at.column(j)) += weight * y.second(i, j);
      }
    };
    for (int i = 0; i < 6; ++i) add(at.arrived[i], i, 1.0, lam[i]);
    for (int a = 0; a < n; ++a) {
      const int ra = base_joints + a, pa = ra + n, ua = pa + n;
      const Jet<Max>& D1 = at.step.D1[a];
      Jk(ra, ra) = 1.0;  // r' = r + h u
      Jk(ra, ua) = steps.h;
      Jk(pa, pa) = -1.0;  // p' = D2 - D1 - p
      add(D1, pa, -1.0, per_force * gamma[k * n + a] - lam[pa]);
      add(at.step.D2[a], pa, 1.0, lam[pa]);
      Fk(a, pa) = per_force;  // f = -2 (p + D1)/h
      for (int i = 0; i < at.variables(); ++i) Fk(a, at.column(i)) += per_force * D1.first(i);
    }
    total = Eigen::Map<const Eigen::VectorXd>(direct + k * nz, nz);
    total.noalias() += Fk.transpose() * Eigen::Map<const Eigen::VectorXd>(gamma + k * n, n);
    total.noalias() += Jk.transpose() * Eigen::Map<const Eigen::VectorXd>(lam, nx);
    std::copy_n(total.data(), nx, costate + k * nx);
    std::copy_n(total.data() + nx, n, gradient + k * n);
  }
}

}  // namespace

int reconstruct(const Steps& steps, double* g, const double* r, double* D1, double* D2) {
  const int n = steps.n();
  Shape<double> ends[2];
  Step<double> step;
  for (Shape<double>& s : ends) s.fit(steps.model);
  step.fit(n);
  ends[0].evaluate(steps.model, r, steps.dynamic);
  if (!ends[0].regular) return 1;
  for (int k = 0; k < steps.count; ++k) {
    Shape<double>&s0 = ends[k % 2], &s1 = ends[(k + 1) % 2];
    s1.evaluate(steps.model, r + (k + 1) * n, steps.dynamic);
    if (!s1.regular) return k + 1;
    for (int a = 0; a < n; ++a) step.u[a] = steps.u[k * n + a];
    const PoseT<double> at = pose_from<double>(g + 16 * k);
    if (steps.pi != nullptr) step.momentum = body_momentum(steps.pi, at);
    step.evaluate(steps, s0, s1);
    if (!step.solved) return -(k + 1);
    store(at * step.move, g + 16 * (k + 1));
    std::copy_n(step.D1.data(), n, D1 + k * n);
    std::copy_n(step.D2.data(), n, D2 + k * n);
  }
  return 0;
}

void differentiate(const Steps& steps, const double* g, const double* r, const double* gamma, const double* direct,
                   double* J, double* F, double* H, double* costate, double* gradient) {
  const auto with = base_joints + 2 * steps.n() <= 16 ? differentiate_with<16> : differentiate_with<40>;
  with(steps, g, r, gamma, direct, J, F, H, costate, gradient);
}

bool connection_derivatives(const Model& model, const double* r, double* A, double* dA, double* ddA) {
  const int n = model.n_variables - base_joints;
  const JetScope<40> scope(n);
  Shape<LargeJet> shape;
  shape.fit(model);
  std::vector<LargeJet> at(n);
  for (int a = 0; a < n; ++a) at[a] = LargeJet::variable(r[a], a);
  shape.evaluate(model, at.data(), false);
  for (int i = 0; i < 6 && shape.regular; ++i)
    for (int a = 0; a < n; ++a) {
      const LargeJet& entry = shape.A[a][i];
      A[i * n + a] = entry.v;
      for (int b = 0; b < n; ++b) {
        dA[(i * n + a) * n + b] = entry.first(b);
        for (int c = 0; c < n; ++c) ddA[((i * n + a) * n + b) * n + c] = entry.second(b, c);
      }
    }
  return shape.regular;
}

}  // namespace bough
