#include "bough/integrators/run_derivatives.hpp"

#include <algorithm>

namespace bough {

RunDerivatives::RunDerivatives(StepLinearization& step, ParameterGradient& by)
    : step_(step), by_(by), shape_(step.shape()) {
  row_.resize(shape_.rows());
  by_s_.resize(shape_.columns());
}

RunDerivatives::Ended RunDerivatives::roll(const Chain& chain, double* x) {
  for (std::size_t k = 0; k < chain.count; ++k) {
    const double* control = chain.control + k * shape_.controls();
    const StepStatus status =
        k == 0 ? step_.step({chain.t[k], chain.dt[k], x, control}) : step_.go_on(chain.dt[k], control);
    if (status != StepStatus::fine) return {status, k};
    step_.write_state(x + (k + 1) * step_.numbers());
  }
  return {StepStatus::fine, 0};
}

StepStatus RunDerivatives::linearize(const Chain& chain, std::size_t k) {
  const std::size_t numbers = step_.numbers();
  const StepLinearization::Given given{chain.t[k], chain.dt[k], chain.x + k * numbers,
                                       chain.control + k * shape_.controls()};
  const StepStatus status = step_.linearize(given, chain.x + (k + 1) * numbers, false);
  return status == StepStatus::fine && step_.shifts() ? StepStatus::fed_back : status;
}

RunDerivatives::Ended RunDerivatives::backward(const Chain& chain, const double* weights, double* lambda,
                                               double* by_control, double* by_parameters) {
  const int nx = shape_.states();
  for (std::size_t k = chain.count; k-- > 0;) {
    if (const StepStatus status = linearize(chain, k); status != StepStatus::fine) return {status, k};
    for (int i = 0; i < nx; ++i) row_[i] = lambda[i] + weights[(k + 1) * nx + i];
    step_.backward(row_.data(), by_s_.data(), by_.size() > 0 ? &by_ : nullptr, by_parameters);
    std::copy_n(by_s_.begin(), nx, lambda);
    std::copy_n(by_s_.begin() + nx, shape_.controls(), by_control + k * shape_.controls());
  }
  return {StepStatus::fine, 0};
}

RunDerivatives::Ended RunDerivatives::forward(const Chain& chain, double* S) {
  const int nx = shape_.states(), nc = shape_.controls(), np = static_cast<int>(by_.size());
  J_.resize(shape_.rows(), shape_.columns());
  J_theta_.resize(shape_.rows(), np);
  Eigen::Map<RowMatrix> all(S, nx, nx + nc + np);
  for (std::size_t k = 0; k < chain.count; ++k) {
    if (const StepStatus status = linearize(chain, k); status != StepStatus::fine) return {status, k};
    if (np > 0) step_.parameter_jacobian(by_, J_theta_.data());
    step_.jacobian(J_);
    next_.noalias() = J_.topLeftCorner(nx, nx) * all;
    next_.middleCols(nx, nc) += J_.block(0, nx, nx, nc);
    next_.rightCols(np) += J_theta_.topRows(nx);
    all = next_;
  }
  return {StepStatus::fine, 0};
}

}  // namespace bough
