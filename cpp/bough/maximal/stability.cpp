// The stability limit of explicit penalties. About a state where the joints hold, a mode of M^-1 A^T K A with eigenvalue
// kappa moves as v1 = v0 - h kappa (x0 + eta v0), x1 = x0 + h v1, which stays bounded where
//
//   h^2 kappa + 2 h eta kappa < 4,  h < -eta + sqrt(eta^2 + 4 / kappa)                                                (MB1)
//
// so that the largest kappa decides. It is found by power iteration in the metric of mass.
#include <cmath>

#include "bough/maximal/engine.hpp"

namespace bough {

double MaximalEngine::gyration() const {
  double mass = 0.0, inertia = 0.0;
  for (int b = 1; b <= bodies_.n(); ++b) {
    const Mat3 I = rotational(b);
    mass += model_.links[bodies_.body[b - 1].link].mass;
    inertia += 0.5 * (I(0, 0) + I(1, 1) + I(2, 2));
  }
  return inertia / mass;
}

double MaximalEngine::penalty_eigenvalue() {
  constexpr int most = 2000;
  constexpr double settled = 1e-7;
  const int n = bodies_.n();
  penalty_projectors();
  find_rows();
  const std::size_t columns = space_.n_variables;
  const double eta = settings.relaxation;
  settings.relaxation = 1.0;
  std::vector<Twist> kept = drift;
  for (Twist& e : drift) e = Twist::zero();
  std::vector<Twist> X(n + 1, Twist::zero());
  for (int b = 1; b <= n; ++b) {
    inertia_[b] = body_inertia(b);
    X[b] = {Vec3(std::sin(b), std::cos(2.0 * b), std::sin(3.0 * b + 1)),
            Vec3(std::cos(b), std::sin(5.0 * b), std::cos(3.0 * b + 2))};
  }
  double kappa = 0.0;
  for (int k = 0; k < most; ++k) {
    double mass = 0.0;
    for (int b = 1; b <= n; ++b) mass += dot(X[b], inertia_[b] * X[b]);
    for (int b = 1; b <= n; ++b) X[b] = (1.0 / std::sqrt(mass)) * X[b];
    for (Wrench& y : y_) y = Wrench::zero();
    for (int b = 1; b <= n; ++b) {
      const int a = bodies_.body[b - 1].parent;
      const Wrench y = penalty(b, X[b] - X[a]);
      y_[b] += (-1.0) * y;
      y_[a] += y;
    }
    for (int r = 0; r < m_; ++r) {
      const double* a = &A_[r * columns];
      double rate = 0.0;
      for (int b = 1; b <= n; ++b) rate += dot(X[b].w, Vec3(a + 6 * (b - 1))) + dot(X[b].v, Vec3(a + 6 * (b - 1) + 3));
      for (int b = 1; b <= n; ++b)
        y_[b] += row_stiffness(r) * rate * Wrench{Vec3(a + 6 * (b - 1)), Vec3(a + 6 * (b - 1) + 3)};
    }
    const double before = kappa;
    kappa = 0.0;
    for (int b = 1; b <= n; ++b) kappa += dot(X[b], y_[b]);
    if (kappa == 0.0 || std::abs(kappa - before) <= settled * kappa) break;
    for (int b = 1; b <= n; ++b) {
      const Vec3 f = y_[b].f;
      X[b].w = solve_symmetric(rotational(b), y_[b].n - cross(x[b], f));
      X[b].v = (1.0 / inertia_[b].m) * f - cross(X[b].w, x[b]);
    }
  }
  settings.relaxation = eta;
  drift = kept;
  return kappa;
}

}  // namespace bough
