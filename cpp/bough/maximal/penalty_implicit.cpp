// Penalty springs and dampers at the joints, stepped by implicit Euler:
//
//   M (v1 - v0) = h (F(p0, v0) + y(p1, v1)),  p1 = p0 + h v1                                                         (MI1)
//
// with y of (ME1). Newton's method on v1 in coordinates (omega, velocity of the centre of mass) of each body:
//
//   r = M v0 + h F + h y(p1, v1) - M v1,   (M + (h^2 + h eta) A^T K A) d = r,   v1 += d                              (MI2)
//
// The matrix leaves out how A turns with p, which is small beside M by the factor h^2 y / (m length): the method converges
// in a few iterations at any stiffness. It has the sparsity of the tree (tree_penalty); rows beyond it are added by the
// Sherman-Morrison-Woodbury formula.
#include <cmath>
#include <limits>

#include "bough/maximal/engine.hpp"
#include "bough/maximal/tree_penalty.hpp"

namespace bough {

class PenaltySolver {
 public:
  using Matrix6 = TreePenalty::Matrix6;
  using Vector6 = TreePenalty::Vector6;

  explicit PenaltySolver(MaximalEngine& e)
      : e_(e), tree_(e.bodies_), M_(e.bodies_.n() + 1), V_(6 * e.bodies_.n()), p_(V_), r_(V_) {}

  MaximalStatus step(double dt, const double* k1, const double* u) {
    e_.momenta(dt, u, e_.f_);
    e_.set_driven(dt, k1);
    for (int b = 1; b <= e_.bodies_.n(); ++b) {
      const Wrench f = e_.f_[b];
      (f.n - cross(e_.x[b], f.f)).store(&p_[at(b)]);
      f.f.store(&p_[at(b) + 3]);
      e_.w[b].store(&V_[at(b)]);
      e_.v[b].store(&V_[at(b) + 3]);
      M_[b].setZero();
      const Mat3 I = e_.rotational(b);
      for (int k = 0; k < 3; ++k) I.c[k].store(M_[b].col(k).data());
      M_[b].bottomRightCorner<3, 3>() = e_.inertia_[b].m * Eigen::Matrix3d::Identity();
    }
    for (int k = 0; k < e_.model_.n(); ++k) {
      const Joint& joint = e_.model_.joints[k];
      if (!joint.dynamic) e_.s_[k] = joint.shift + joint.ratio * k1[joint.variable - e_.model_.n_dynamic];
    }
    for (int i = e_.model_.n_dynamic; i < e_.model_.n_variables; ++i) e_.q[i] = k1[i - e_.model_.n_dynamic];
    e_.t += dt;
    for (e_.iterations = 1; e_.iterations <= e_.settings.max_iterations; ++e_.iterations) {
      place(dt);
      if (!residual(dt)) return MaximalStatus::not_finite;
      if (!direction(dt)) return MaximalStatus::no_convergence;
      V_ += r_;
      double step = 0.0, size = 0.0;
      for (int b = 1; b <= e_.bodies_.n(); ++b) {
        step += r_.segment<6>(at(b)).dot(M_[b] * r_.segment<6>(at(b)));
        size += V_.segment<6>(at(b)).dot(M_[b] * V_.segment<6>(at(b)));
      }
      if (!std::isfinite(step)) return MaximalStatus::not_finite;
      const double scale = std::sqrt(size) + dt * std::sqrt(weight());
      if (std::sqrt(step) <= e_.settings.tolerance * scale + round_off(dt)) {
        place(dt);
        residual(dt);  // forces at the end
        e_.t -= dt;    // finish adds it
        return MaximalStatus::fine;
      }
    }
    return MaximalStatus::no_convergence;
  }

  static int at(int b) { return 6 * (b - 1); }

 private:
  // What the round-off of positions is as a velocity, in the metric of mass.
  double round_off(double dt) const {
    double mass = 0.0, far = e_.extent();
    for (int b = 1; b <= e_.bodies_.n(); ++b) {
      mass += e_.inertia_[b].m;
      far = std::max(far, norm(e_.x[b]));
    }
    return 64.0 * std::numeric_limits<double>::epsilon() * far * std::sqrt(mass) / dt;
  }

  // sum of m g^2: velocities below this times h do not matter
  double weight() const {
    double sum = 0.0;
    for (int b = 1; b <= e_.bodies_.n(); ++b) sum += e_.inertia_[b].m;
    return sum * std::max(dot(e_.model_.gravity, e_.model_.gravity), 1e-12);
  }

  // Bodies where V takes them in a step.
  void place(double dt) {
    for (int b = 1; b <= e_.bodies_.n(); ++b) {
      e_.w[b] = Vec3(&V_[at(b)]);
      e_.v[b] = Vec3(&V_[at(b) + 3]);
      e_.x[b] = e_.saved_.x[b] + dt * e_.v[b];
      e_.o[b] = turned(e_.saved_.o[b], dt * e_.w[b]);
    }
    e_.set_poses();
    e_.recover_joints();
    e_.penalty_projectors();
    e_.find_rows();
  }

  // r of (MI2) in r_
  bool residual(double dt) {
    for (Wrench& y : e_.y_) y = Wrench::zero();
    std::fill(e_.lam.begin(), e_.lam.end(), 0.0);
    e_.add_penalties(e_.y_);
    for (int b = 1; b <= e_.bodies_.n(); ++b) {
      const Wrench y = e_.y_[b];
      Vector6 force;
      (y.n - cross(e_.x[b], y.f)).store(force.data());
      y.f.store(force.data() + 3);
      r_.segment<6>(at(b)) = p_.segment<6>(at(b)) + dt * force - M_[b] * V_.segment<6>(at(b));
    }
    return r_.allFinite();
  }

  // The twist of a body with coordinates (omega, velocity of x), seen in the frame g.
  static Matrix6 seen(const Pose& g, const Vec3& x) {
    Matrix6 T = Matrix6::Zero();
    const Mat3 Rt = transpose(g.R), W = Rt * skew(x - g.p);
    for (int k = 0; k < 3; ++k) {
      Rt.c[k].store(T.col(k).data());
      Rt.c[k].store(T.col(k + 3).data() + 3);
      W.c[k].store(T.col(k).data() + 3);
    }
    return T;
  }

  // r_ becomes d of (MI2).
  bool direction(double dt) {
    const double factor = dt * dt + dt * e_.settings.relaxation;
    Vector6 K;
    K << Eigen::Vector3d::Constant(factor * e_.settings.angular_stiffness),
        Eigen::Vector3d::Constant(factor * e_.settings.stiffness);
    for (int b = 1; b <= e_.bodies_.n(); ++b) tree_.P[b] = M_[b];
    for (int b = 1; b <= e_.bodies_.n(); ++b) {
      const int a = e_.bodies_.body[b - 1].parent;
      const Matrix6 N = e_.Q_[b] * K.asDiagonal() * e_.Q_[b], Tb = seen(e_.g_[b], e_.x[b]);
      const Matrix6 NT = N * Tb;
      tree_.P[b].noalias() += Tb.transpose() * NT;
      if (a == 0) continue;
      const Matrix6 Ta = seen(e_.g_[b], e_.x[a]);
      tree_.L[b].noalias() = NT.transpose() * Ta;
      tree_.P[a].noalias() += Ta.transpose() * N * Ta;
    }
    if (!tree_.factor()) return false;
    tree_.solve(r_);
    return e_.m_ == 0 || add_rows(factor);
  }

  // d -= Z (W^-1 + A Z)^-1 A d with Z = T^-1 A^T
  bool add_rows(double factor) {
    const int m = e_.m_, columns = e_.space_.n_variables;
    A_.resize(columns, m);
    Z_.resize(columns, m);
    for (int r = 0; r < m; ++r) {
      for (int b = 1; b <= e_.bodies_.n(); ++b) {
        const double* a = &e_.A_[static_cast<std::size_t>(r) * columns + at(b)];
        const Vec3 f(a + 3);
        (Vec3(a) - cross(e_.x[b], f)).store(&A_(at(b), r));
        f.store(&A_(at(b) + 3, r));
      }
      z_ = A_.col(r);
      tree_.solve(z_);
      Z_.col(r) = z_;
    }
    S_.noalias() = A_.transpose() * Z_;
    for (int r = 0; r < m; ++r) S_(r, r) += 1.0 / (factor * e_.row_stiffness(r));
    mu_.noalias() = A_.transpose() * r_;
    llt_.compute(S_);
    if (llt_.info() != Eigen::Success) return false;
    llt_.solveInPlace(mu_);
    r_.noalias() -= Z_ * mu_;
    return true;
  }

  MaximalEngine& e_;
  TreePenalty tree_;
  std::vector<Matrix6> M_;
  Eigen::VectorXd V_, p_, r_, z_, mu_;
  Eigen::MatrixXd A_, Z_, S_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

MaximalStatus MaximalEngine::step_penalty_implicit(double dt, const double* k1, const double* u) {
  save();
  events.clear();
  if (!implicit_) implicit_ = std::make_shared<PenaltySolver>(*this);
  const MaximalStatus status = implicit_->step(dt, k1, u);
  if (status != MaximalStatus::fine) return fail(status);
  check_breaks();
  return finish(dt, k1);
}

}  // namespace bough
