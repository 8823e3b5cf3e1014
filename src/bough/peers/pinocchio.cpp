// Pinocchio's tree algorithms in plain C++ loops behind a C interface, for `pinocchio.py`.
// States lie one after another (batch x n). Results stay in pinocchio::Data, as they do for its own users,
// unless the caller passes `out`; timing passes none.

// Of the library's own instantiations (libpinocchio_default) and ours from its headers with the same flags, the
// faster one is used: the library's for aba, rnea and crba in the world convention, ours for crba in the local
// convention (5 joints: 6 % faster, 80 joints: 40 %) and for computeABADerivatives (10 %). With NATIVE defined
// only the latter two are compiled, all from the headers, for the instructions of this processor (which makes
// aba and rnea slower, aba by 2 to 19 %).
#ifndef NATIVE
#define PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#endif
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#ifndef NATIVE
#undef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#endif
#include <pinocchio/algorithm/aba-derivatives.hpp>

#include <string>
#include <utility>
#include <vector>

namespace pin = pinocchio;
using Eigen::VectorXd;
using RowMatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Map<const VectorXd>;
using Vector = Eigen::Ref<const VectorXd>;
using Pose = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

namespace {

struct Peer {
  explicit Peer(pin::Model m) : model(std::move(m)), data(model) {
    // four n x n x n tensors that none of the timed algorithms uses: 8 GB for 640 joints
    for (auto* tensor : {&data.d2tau_dqdq, &data.d2tau_dqdv, &data.d2tau_dvdv, &data.d2tau_dadq})
      tensor->resize(0, 0, 0);
  }
  pin::Model model;
  pin::Data data;
};

pin::JointModel joint_model(int kind) {
  switch (kind) {
    case 1:
      return pin::JointModelPX();
    case 2:
      return pin::JointModelPY();
    case 3:
      return pin::JointModelPZ();
    case 4:
      return pin::JointModelRX();
    case 5:
      return pin::JointModelRY();
    default:
      return pin::JointModelRZ();
  }
}

pin::Convention convention(int world) { return world ? pin::Convention::WORLD : pin::Convention::LOCAL; }

// run(k, q, v, x) for every state k, the vectors in the type that the library is instantiated for
template <class Run>
void loop(Peer& peer, int batch, const double* q, const double* v, const double* x, Run run) {
  const int n = peer.model.nv;
  for (int k = 0; k < batch; ++k)
    run(k, Vector(Row(q + k * n, n)), Vector(Row(v + k * n, n)), Vector(Row(x + k * n, n)));
}

}  // namespace

extern "C" {

// joints in depth-first order; parent[i] is -1 for the world; kind 1 to 6 = tx ty tz rx ry rz;
// inertia about the centre of mass
Peer* peer_create(int n, const int* parent, const int* kind, const double* pose, const double* mass, const double* com,
                  const double* inertia, const double* gravity) {
  pin::Model model;
  std::vector<pin::JointIndex> index(n);
  for (int i = 0; i < n; ++i) {
    const Pose g = Eigen::Map<const Pose>(pose + 16 * i);
    const Eigen::Matrix3d rotation = g.topLeftCorner<3, 3>();
    const Eigen::Vector3d position = g.topRightCorner<3, 1>();
    const pin::JointIndex up = parent[i] < 0 ? 0 : index[parent[i]];
    index[i] = model.addJoint(up, joint_model(kind[i]), pin::SE3(rotation, position), "joint" + std::to_string(i));
    const Eigen::Vector3d centre = Eigen::Map<const Eigen::Vector3d>(com + 3 * i);
    const Eigen::Matrix3d about_com = Eigen::Map<const Eigen::Matrix3d>(inertia + 9 * i);
    model.appendBodyToJoint(index[i], pin::Inertia(mass[i], centre, about_com), pin::SE3::Identity());
  }
  model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(gravity);
  return new Peer(std::move(model));
}

void peer_destroy(Peer* peer) { delete peer; }

void mass_matrix(Peer* p, int world, int batch, const double* q, const double* v, const double* x, double* out) {
  const int n = p->model.nv;
  loop(*p, batch, q, v, x, [=](int k, const Vector& q, const Vector&, const Vector&) {
#ifndef NATIVE
    if (world) pin::crba(p->model, p->data, q, pin::Convention::WORLD);
#endif
    // not the argument type that the library instantiates, so compiled here
    if (!world) pin::crba(p->model, p->data, Row(q.data(), n), pin::Convention::LOCAL);
    if (!out) return;
    p->data.M.triangularView<Eigen::StrictlyLower>() = p->data.M.transpose();
    Eigen::Map<RowMatrixXd>(out + k * n * n, n, n) = p->data.M;
  });
}

// out: da/dq, da/dv, da/dtau, each n x n
void acceleration_derivatives(Peer* p, int, int batch, const double* q, const double* v, const double* tau,
                              double* out) {
  const int n = p->model.nv;
  loop(*p, batch, q, v, tau, [=](int k, const Vector& q, const Vector& v, const Vector& tau) {
    pin::computeABADerivatives(p->model, p->data, q, v, tau);
    if (!out) return;
    double* at = out + 3 * k * n * n;
    p->data.Minv.triangularView<Eigen::StrictlyLower>() = p->data.Minv.transpose();
    Eigen::Map<RowMatrixXd>(at, n, n) = p->data.ddq_dq;
    Eigen::Map<RowMatrixXd>(at + n * n, n, n) = p->data.ddq_dv;
    Eigen::Map<RowMatrixXd>(at + 2 * n * n, n, n) = p->data.Minv;
  });
}

#ifndef NATIVE

void forward_dynamics(Peer* p, int world, int batch, const double* q, const double* v, const double* tau, double* out) {
  const int n = p->model.nv;
  loop(*p, batch, q, v, tau, [=](int k, const Vector& q, const Vector& v, const Vector& tau) {
    pin::aba(p->model, p->data, q, v, tau, convention(world));
    if (out) Eigen::Map<VectorXd>(out + k * n, n) = p->data.ddq;
  });
}

void inverse_dynamics(Peer* p, int, int batch, const double* q, const double* v, const double* a, double* out) {
  const int n = p->model.nv;
  loop(*p, batch, q, v, a, [=](int k, const Vector& q, const Vector& v, const Vector& a) {
    pin::rnea(p->model, p->data, q, v, a);
    if (out) Eigen::Map<VectorXd>(out + k * n, n) = p->data.tau;
  });
}

// v += dt aba(q, v); q += dt v; q and v are advanced in place
void semi_implicit_euler(Peer* p, int world, int steps, double dt, double* q_out, double* v_out) {
  const int n = p->model.nv;
  Eigen::Map<VectorXd> q(q_out, n), v(v_out, n);
  const VectorXd zero = VectorXd::Zero(n);
  for (int k = 0; k < steps; ++k) {
    v += dt * pin::aba(p->model, p->data, Vector(q), Vector(v), Vector(zero), convention(world));
    q += dt * v;
  }
}

// Runge-Kutta of fourth order on aba; q and v are advanced in place
void runge_kutta(Peer* p, int world, int steps, double dt, double* q_out, double* v_out) {
  const int n = p->model.nv;
  Eigen::Map<VectorXd> q(q_out, n), v(v_out, n);
  const VectorXd zero = VectorXd::Zero(n);
  VectorXd a1(n), a2(n), a3(n), a4(n), v2(n), v3(n), v4(n), place(n);
  const auto rate = [&](const VectorXd& q, const VectorXd& v, VectorXd& a) {
    a = pin::aba(p->model, p->data, Vector(q), Vector(v), Vector(zero), convention(world));
  };
  for (int k = 0; k < steps; ++k) {
    place = q;
    v2 = v;
    rate(place, v2, a1);
    v2 = v + 0.5 * dt * a1;
    place = q + 0.5 * dt * v;
    rate(place, v2, a2);
    v3 = v + 0.5 * dt * a2;
    place = q + 0.5 * dt * v2;
    rate(place, v3, a3);
    v4 = v + dt * a3;
    place = q + dt * v3;
    rate(place, v4, a4);
    q += dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
}

#endif
}
