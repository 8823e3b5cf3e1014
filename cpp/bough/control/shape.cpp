#include "bough/control/shape.hpp"

namespace bough {
namespace {

// A link's inertia moved to the frame of the base.
template <class T>
InertiaT<T> moved(const PoseT<T>& g, const Link& link) {
  InertiaT<T> y;
  y.m = link.mass;
  Vec3T<T> c = g.R * vec3<T>(link.com);
  c += g.p;
  const T m(link.mass);
  y.mc = m * c;
  y.I = link.point ? mat3<T>(Mat3::zero()) : g.R * (mat3<T>(link.inertia) * transpose(g.R));
  const T square = dot(c, y.mc);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      if (i == j) y.I.a[i][i] += square;
      y.I.a[i][j] -= c.a[i] * y.mc.a[j];
    }
  return y;
}

template <class T>
void operator+=(InertiaT<T>& a, const InertiaT<T>& b) {
  a.m += b.m;
  a.mc += b.mc;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.I.a[i][j] += b.I.a[i][j];
}

template <class T>
PoseT<T> constant(const Pose& g) {
  return {mat3<T>(g.R), vec3<T>(g.p)};
}

template <class T>
SixT<T> zero_six() {
  return {vec3<T>(Vec3::zero()), vec3<T>(Vec3::zero())};
}

}  // namespace

bool has_free_base(const Model& model) {
  constexpr JointKind kinds[] = {JointKind::tx, JointKind::ty, JointKind::tz,
                                 JointKind::rz, JointKind::ry, JointKind::rx};
  if (model.n() < base_joints) return false;
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    if (i >= base_joints) {
      if (joint.parent < base_joints || joint.variable < base_joints) return false;
      continue;
    }
    const bool plain = joint.kind == kinds[i] && joint.parent == i && joint.variable == i && joint.dynamic &&
                       joint.ratio == 1.0 && joint.shift == 0.0 && !joint.rotated && !joint.offset;
    if (!plain || (i + 1 < base_joints && !model.links[i].massless)) return false;
  }
  return true;
}

template <class T>
void Shape<T>::fit(const Model& model) {
  const int joints = model.n() - base_joints;
  n_ = model.n_variables - base_joints;
  g.resize(joints);
  J.resize(joints);
  I.resize(joints + 1);
  Ic_.resize(joints + 1);
  V_.resize(joints + 1);
  h_.resize(joints + 1);
  F.resize(n_);
  A.resize(n_);
  M.resize(n_ * n_);
}

template <class T>
void Shape<T>::place(const Model& model, const T* r) {
  const PoseT<T> origin = constant<T>(Pose::identity());
  I[0] = moved(origin, model.links[base_joints - 1]);
  for (std::size_t i = 0; i < g.size(); ++i) {
    const Joint& joint = model.joints[base_joints + i];
    const T s = T(joint.shift) + T(joint.ratio) * r[joint.variable - base_joints];
    const int parent = joint.parent - base_joints;  // 0: the base
    const PoseT<T> X = constant<T>(joint.X), at = parent == 0 ? X : g[parent - 1] * X;
    g[i] = at * exp_screw<T>(joint.S, s);
    J[i] = adjoint(g[i], SixT<T>{vec3<T>(joint.S.w), vec3<T>(joint.S.v)});
    I[i + 1] = moved(g[i], model.links[base_joints + i]);
  }
}

template <class T>
void Shape<T>::evaluate(const Model& model, const T* r, bool with_metric) {
  place(model, r);
  const int joints = static_cast<int>(g.size());
  for (int i = 0; i <= joints; ++i) Ic_[i] = I[i];
  for (int i = joints; i > 0; --i) Ic_[model.joints[base_joints + i - 1].parent - base_joints] += Ic_[i];
  for (int c = 0; c < 6; ++c) {  // (S1): the locked inertia, column by column
    SixT<T> unit = zero_six<T>();
    unit[c] = T(1.0);
    const SixT<T> column = Ic_[0] * unit;
    for (int row = 0; row < 6; ++row) locked[row][c] = column[row];
  }
  factor();
  if (!regular) return;
  for (SixT<T>& f : F) f = zero_six<T>();
  if (with_metric) std::fill(M.begin(), M.end(), T(0.0));
  for (int i = 0; i < joints; ++i) {
    const Joint& joint = model.joints[base_joints + i];
    const int a = joint.variable - base_joints;
    const SixT<T> w = T(joint.ratio) * (Ic_[i + 1] * J[i]);
    F[a] += w;
    if (!with_metric) continue;
    for (int j = i + 1; j > 0; j = model.joints[base_joints + j - 1].parent - base_joints) {
      const Joint& above = model.joints[base_joints + j - 1];
      const int b = above.variable - base_joints;
      const T entry = T(above.ratio) * dot(w, J[j - 1]);
      M[a * n_ + b] += entry;
      if (j != i + 1) M[b * n_ + a] += entry;
    }
  }
  for (int a = 0; a < n_; ++a) A[a] = solve(F[a]);
  if (!with_metric) return;
  for (int a = 0; a < n_; ++a)
    for (int b = 0; b < n_; ++b) M[a * n_ + b] -= dot(F[a], A[b]);
}

// I = L D L^T without square roots. A pivot at round-off of its diagonal entry means a singular locked inertia.
template <class T>
void Shape<T>::factor() {
  regular = true;
  for (int j = 0; j < 6 && regular; ++j) {
    T d = locked[j][j];
    T row[6];  // L_jk D_k
    for (int k = 0; k < j; ++k) {
      row[k] = L_[j][k] * inverse(D_inverse_[k]);
      d -= row[k] * L_[j][k];
    }
    regular = value(d) > 1e-13 * std::abs(value(locked[j][j])) && value(d) > 0.0;
    D_inverse_[j] = inverse(d);
    for (int i = j + 1; i < 6; ++i) {
      T l = locked[i][j];
      for (int k = 0; k < j; ++k) l -= L_[i][k] * row[k];
      L_[i][j] = l * D_inverse_[j];
    }
  }
}

template <class T>
void Shape<T>::lift(const Shape& from, bool all, int count, int first, int other, double h)
  requires is_jet<T>
{
  const auto one = [=](T& to, const T& x) {
    if constexpr (is_jet<T>) to = T::lifted(x, count, first, other, h);  // Clang 14 compiles it for double, too
  };
  const auto three = [&](Vec3T<T>& to, const Vec3T<T>& x) {
    for (int i = 0; i < 3; ++i) one(to.a[i], x.a[i]);
  };
  const auto nine = [&](Mat3T<T>& to, const Mat3T<T>& x) {
    for (int i = 0; i < 9; ++i) one(to.a[i / 3][i % 3], x.a[i / 3][i % 3]);
  };
  const auto six = [&](std::vector<SixT<T>>& to, const std::vector<SixT<T>>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      three(to[i].w, x[i].w);
      three(to[i].v, x[i].v);
    }
  };
  six(A, from.A);
  if (!all) return;
  six(J, from.J);
  for (std::size_t i = 0; i < I.size(); ++i) {
    I[i].m = from.I[i].m;
    three(I[i].mc, from.I[i].mc);
    nine(I[i].I, from.I[i].I);
  }
  for (std::size_t i = 0; i < M.size(); ++i) one(M[i], from.M[i]);
  for (int i = 0; i < 6; ++i) {
    one(D_inverse_[i], from.D_inverse_[i]);
    for (int j = 0; j < 6; ++j) one(locked[i][j], from.locked[i][j]);
    for (int j = 0; j < i; ++j) one(L_[i][j], from.L_[i][j]);
  }
  regular = from.regular;
}

template <class T>
SixT<T> Shape<T>::solve(const SixT<T>& y) const {
  SixT<T> x = y;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < i; ++k) x[i] -= L_[i][k] * x[k];
  for (int i = 5; i >= 0; --i) {
    x[i] = x[i] * D_inverse_[i];
    for (int k = i + 1; k < 6; ++k) x[i] -= L_[k][i] * x[k];
  }
  return x;
}

template <class T>
SixT<T> Shape<T>::connection(const T* u) const {
  SixT<T> y = zero_six<T>();
  for (int a = 0; a < n_; ++a)
    for (int i = 0; i < 6; ++i) add_product(y[i], A[a][i], u[a]);
  return y;
}

template <class T>
void Shape<T>::add_gradient(const Model& model, double factor, const SixT<T>& V, const T* u, T* out) const {
  const int joints = static_cast<int>(g.size());
  V_[0] = V;
  for (int i = 0; i < joints; ++i) {
    const Joint& joint = model.joints[base_joints + i];
    V_[i + 1] = V_[joint.parent - base_joints];
    if (u != nullptr) V_[i + 1] += (T(joint.ratio) * u[joint.variable - base_joints]) * J[i];
    h_[i + 1] = I[i + 1] * V_[i + 1];
  }
  for (int i = joints; i > 0; --i) {
    const Joint& joint = model.joints[base_joints + i - 1];
    const int parent = joint.parent - base_joints;
    const SixT<T> U = ad(V_[parent], J[i - 1]);
    out[joint.variable - base_joints] += T(factor * joint.ratio) * dot(U, h_[i]);
    if (parent > 0) h_[parent] += h_[i];
  }
}

template struct Shape<double>;
template struct Shape<SmallJet>;
template struct Shape<LargeJet>;

}  // namespace bough
