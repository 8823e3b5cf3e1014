// First derivatives of a reduced step (reduced.hpp), by the implicit function theorem on (V2), (V3).
//
// A move of a state is (n, dr, dmu, dp) with n the twist that moves the base in its own axes, g exp(n). With dots for the change
// along moves of the start, of u, of the ends k1 and of dt, the matrix K of (V6)-(V8), and T = A_P + S_rate, Z = G_b^b, E of
// (RQ1), (RQ2), (RQ4) at either end:
//
//   r1' = r0' + dt z_r' + z_r dt',   w' = xi' + A_a z_r' + (1 - alpha) A_rate0 r0' + alpha A_rate1 r1',
//   P_a' = I_a w' + (1 - alpha) Z0 r0' + alpha Z1 r1'                                                            (RG1)
//   e' = E r' + A_rate^T P_a' + Z^T w' + T^T z_r'   at either end                                                (RG2)
//   P0' = Ad(g0)^T mu0' + ad(n_0)^T P0                                                                           (RG3)
//   K z' = [P0' + F0' - dtau^-T P_a' - D(dtau^-1)[xi dt']^T P_a ;
//           p0' + f0' + (1 - alpha) (dt e0' + e0 dt') - A_a^T P_a' - (1 - alpha) T0 r0' - alpha T1 r1']
//          with (RG1), (RG2) at z' = 0 on the right-hand side                                                    (RG4)
//   n_1 = Ad(tau)^-1 n_0 + dtau_{-dt xi} (dt xi' + xi dt')                                                       (RG5)
//   p1' = A_a^T P_a' + S_a z_r' + (1 - alpha) T0 r0' + alpha T1 r1' + alpha (dt e1' + e1 dt') + f1'
//   mu1' = mu0' + Ad(g0)^-T (F0' - ad(n_0)^T F0) + Ad(g1)^-T (F1' - ad(n_1)^T F1)                                 (RG6)
//
// and F', f' from the derivatives of f - dV over (n, r), z, u and t, ordered by (RG7) of reduced_forces.hpp.
//
// Steps in parts, halved or composed, are chains of these, as (DF9).
#pragma once

#include "bough/dynamics/reduced_variation.hpp"
#include "bough/integrators/part_derivatives.hpp"
#include "bough/integrators/reduced.hpp"

namespace bough {

// The places of s = (n_0, r0, mu0, p0, u, k1, dt) in a row of derivatives; the first four are those of the end in a column.
struct ReducedShape {
  int nb, nr, nd, nu, nk;
  ReducedShape(const Model& model, const ReducedLayout& layout)
      : nb(layout.nb()), nr(layout.nr()), nd(layout.n_dynamic), nu(model.elements.n_inputs), nk(nr - nd) {}
  int r() const { return nb; }
  int mu() const { return nb + nr; }
  int p() const { return 2 * nb + nr; }
  int states() const { return p() + nd; }
  int u() const { return states(); }
  int k() const { return states() + nu; }
  int controls() const { return nu + nk; }
  int dt() const { return states() + controls(); }
  int columns() const { return dt() + 1; }
  // The numbers of a state: a base has a position and a quaternion (w, x, y, z).
  int numbers() const { return nb > 0 ? states() + 1 : states(); }
};

// One part of a step, from the state before it and the velocities that solve it.
class ReducedPart {
 public:
  ReducedPart(const Model& model, const ReducedLayout& layout, double alpha, Retraction tau);
  struct Given {
    double t, dt;
    const double *z, *u;
  };
  // J (states, columns) of ReducedShape. False if the matrix of the step is singular.
  bool jacobian(const ReducedStepper::State& from, const Given& given, RowMatrix& J);

 private:
  struct Forces {
    Eigen::MatrixXd by_q, by_z, by_u;  // of f - dV
    Eigen::VectorXd value, by_t;
  };
  void set_forces(const Pose& g, const double* r, const Given& given, double t, Forces& of);
  void set_nodes(const ReducedStepper::State& from, const Given& given);
  void set_direct(const ReducedStepper::State& from, const Given& given);
  bool solve(const Given& given);
  void set_end(const ReducedStepper::State& from, const Given& given, RowMatrix& J);
  void set_motion(const Given& given);

  const Model& model_;
  const ReducedShape shape_;
  ReducedSpan span_;
  ReducedForces forces_;
  ReducedVariation variation_;
  Forces at_[2];          // at both ends
  Eigen::MatrixXd E_[2];  // (RQ4)
  Eigen::MatrixXd T_[2];  // A_P + S_rate
  Eigen::VectorXd z_, zero_;
  struct Columns {
    Eigen::MatrixXd z, r0, r1, w, P, right;  // over columns of ReducedShape
  };
  Columns by_;
  Eigen::MatrixXd K_;
  DenseLu lu_;
};

class ReducedLinearization {
 public:
  ReducedLinearization(const Model& model, const ReducedSettings& settings);

  struct Given {
    double t, dt;
    const double *x, *control;
  };
  StepStatus step(const Given& given);
  StepStatus linearize(const Given& given);
  // From a state with its history.
  StepStatus linearize(const ReducedStepper::State& from, double dt, const double* control);
  // The end of the last step.
  void write_state(double* x1) const;
  const RowMatrix& jacobian() const { return J_; }  // (states, columns)

  const ReducedShape& shape() const { return shape_; }
  const ReducedLayout& layout() const { return stepper_.layout(); }
  const ReducedStepper::Failure& failure() const { return stepper_.failure; }

 private:
  void start(const Given& given);

  const ReducedShape shape_;
  ReducedStepper stepper_, replay_;  // replay_: the parts of a step, one by one
  ReducedNode node_;
  ReducedPart part_;
  RowMatrix J_, one_, next_;
  std::vector<double> z_, k_;
};

}  // namespace bough
