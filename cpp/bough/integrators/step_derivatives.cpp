#include "bough/integrators/step_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "bough/integrators/midpoint.hpp"
#include "bough/integrators/timed.hpp"
#include "bough/integrators/trapezoidal.hpp"
#include "bough/tree/balls.hpp"

namespace bough {
namespace {

constexpr double same_length = 1e-9;  // of two parts of a step, relative
constexpr double same_end =
    1e-6;  // of two ends of a step, relative to their size or 1: a larger difference is another step

StepSettings of_one_part(StepSettings settings) {
  settings.order = 2;
  settings.max_halvings = 0;
  return settings;
}

}  // namespace

std::unique_ptr<DiscreteLagrangian> make_rule(const Model& model, int method, double alpha) {
  if (method == 0) return std::make_unique<Midpoint>(model, alpha);
  return std::make_unique<Trapezoidal>(model);
}

StepLinearization::StepLinearization(const Model& model, int method, double alpha, const StepSettings& settings)
    : model_(model),
      shape_(model),
      method_(method),
      order_(settings.order),
      alpha_(alpha),
      stepper_(model, make_rule(model, method, alpha), settings),
      replay_(model, make_rule(model, method, alpha), of_one_part(settings)),
      space_(model) {
  start_.v.resize(shape_.nq);
  if (!model.balls.empty()) {
    start_.x.resize(model.width() + shape_.nd);
    start_.q1.resize(model.width());
  }
  J_.resize(shape_.rows(), shape_.columns());
  row_.resize(shape_.rows());
  in_.resize(shape_.columns());
  out_.resize(std::max(shape_.rows(), shape_.columns()));
}

// The same with x in the order of the core.
StepLinearization::Given StepLinearization::in_core(const Given& given) {
  if (model_.balls.empty()) return given;
  to_core(model_, given.x, start_.x.data());
  std::copy_n(given.x + model_.n_coordinates(), shape_.nd, start_.x.begin() + model_.width());
  return {given.t, given.dt, start_.x.data(), given.control};
}

void StepLinearization::start(Stepper& stepper, const Given& given) {
  const double *q = given.x, *p = q + model_.width(), *k1 = given.control + shape_.nu;
  std::vector<double>& v = start_.v;
  std::fill(v.begin(), v.end(), 0.0);
  for (int i = 0; i < shape_.nk; ++i) v[shape_.nd + i] = (k1[i] - q[shape_.nd + i]) / given.dt;
  // A guess only: if the mass matrix is singular, the step says so.
  if (velocity_from_momentum(model_, workspace(model_), space_, q, p, given.t, v.data()) >= 0)
    std::fill_n(v.begin(), shape_.nd, 0.0);
  stepper.start(given.t, q, p, v.data());
}

StepStatus StepLinearization::step(const Given& given) { return step_in_core(in_core(given)); }

StepStatus StepLinearization::step_in_core(const Given& given) {
  start(stepper_, given);
  return stepper_.step(given.dt, given.control + shape_.nu, given.control);
}

StepStatus StepLinearization::linearize(const Given& of, const double* x1, bool timed) {
  const Given given = in_core(of);
  const double* p1 = x1 ? x1 + model_.n_coordinates() : nullptr;
  if (x1 && !model_.balls.empty()) {
    to_core(model_, x1, start_.q1.data());
    x1 = start_.q1.data();
  }
  if (x1 && order_ == 2) {
    count_ = 0;
    pieces_.resize(std::max<std::size_t>(pieces_.size(), 1));
    pieces_[0] = {0.0, 1.0, 1.0, 0.0, 0.0, std::move(pieces_[0].s)};
    pieces_[0].s.assign(given.x, given.x + model_.width() + shape_.nd);
    pieces_[0].s.insert(pieces_[0].s.end(), given.control + shape_.nu, given.control + shape_.controls());
    if (linearize_piece(0, given, x1, timed) == StepStatus::fine) {
      count_ = 1;
      set_weights(given.dt, 0.0);
      return StepStatus::fine;
    }
  }
  if (const StepStatus status = step_in_core(given); status != StepStatus::fine) return status;
  if (stepper_.parts().size() > 1) start(replay_, given);
  const StepStatus status = made(given, replay_, 0.0, timed);
  return status == StepStatus::fine && x1 && !ends_at(x1, p1) ? StepStatus::no_convergence : status;
}

// Whether the step that was made is that of the motion, which may have had other halves or another root by what came before.
// The vectors of balls are not unique, so that momenta are compared with them.
bool StepLinearization::ends_at(const double* q1, const double* p1) const {
  const PartDerivatives& last = *parts_[count_ - 1];
  const auto same = [](const double* a, const double* b, int n) {
    double off = 0.0, size = 1.0;
    for (int i = 0; i < n; ++i) {
      off = std::max(off, std::abs(a[i] - b[i]));
      size = std::max(size, std::abs(b[i]));
    }
    return off <= same_end * size;
  };
  if (!model_.balls.empty()) return same(last.p1(), p1, shape_.nd);
  std::vector<double> q(model_.width());
  last.end(q.data());
  return same(q.data(), q1, shape_.nd);
}

StepStatus StepLinearization::linearize(const Stepper::Memory& from, double dt, const double* control, bool timed) {
  stepper_.recall(from);
  const double *k1 = control + shape_.nu, dt_before = from.state.dt_before;
  if (const StepStatus status = stepper_.step(dt, k1, control); status != StepStatus::fine) return status;
  if (stepper_.parts().size() > 1) replay_.recall(from);
  std::vector<double> x(from.state.q);
  for (int i = 0; i < shape_.nd; ++i) x.push_back(from.state.p[i] - from.state.shift[i]);
  shifts_ = std::any_of(from.state.shift.begin(), from.state.shift.end(), [](double s) { return s != 0.0; });
  const bool shifted = shifts_;
  const StepStatus status = made({from.state.t, dt, x.data(), control}, replay_, dt_before, timed);
  shifts_ |= shifted;
  return status;
}

// The parts that the stepper made, linearised one by one.
StepStatus StepLinearization::made(const Given& given, Stepper& replay, double dt_before, bool timed) {
  const auto& lengths = stepper_.parts();
  const double *k0 = given.x + shape_.nd, *k1 = given.control + shape_.nu;
  count_ = lengths.size();
  if (pieces_.size() < count_) pieces_.resize(count_);
  shifts_ = false;
  double end = 0.0;
  for (std::size_t j = 0; j < count_; ++j) {
    Piece& piece = pieces_[j];
    const double from = end;
    end = j + 1 == count_ ? 1.0 : end + lengths[j] / given.dt;
    piece = {from, end, lengths[j] / given.dt, 0.0, 0.0, std::move(piece.s)};
    if (j == 0) {
      piece.s.assign(given.x, given.x + model_.width() + shape_.nd);
    } else {
      piece.s.resize(model_.width());
      parts_[j - 1]->end(piece.s.data());
      piece.s.insert(piece.s.end(), parts_[j - 1]->p1(), parts_[j - 1]->p1() + shape_.nd);
    }
    for (int i = 0; i < shape_.nk; ++i) piece.s.push_back(k0[i] + end * (k1[i] - k0[i]));
    const double* q1 = stepper_.state.q.data();
    if (count_ > 1) {
      const double* k = piece.s.data() + model_.width() + shape_.nd;
      if (const StepStatus status = replay.step(lengths[j], k, given.control); status != StepStatus::fine)
        return status;
      q1 = replay.state.q.data();
    }
    if (const StepStatus status = linearize_piece(j, given, q1, timed); status != StepStatus::fine) return status;
  }
  set_weights(given.dt, dt_before);
  return StepStatus::fine;
}

StepStatus StepLinearization::linearize_piece(std::size_t j, const Given& given, const double* q1, bool timed) {
  while (parts_.size() <= j)
    parts_.push_back(std::make_unique<PartDerivatives>(model_, make_rule(model_, method_, alpha_)));
  const Piece& piece = pieces_[j];
  const double *q0 = piece.s.data(), *p0 = q0 + model_.width(), *k1 = p0 + shape_.nd;
  const StepStatus status = parts_[j]->linearize(
      {given.t + piece.from * given.dt, piece.length * given.dt, q0, p0, k1, given.control}, q1, timed);
  shifts_ = (j > 0 && shifts_) || parts_[j]->shifts();
  return status;
}

// (DF10). Of a composed step the force is that of the first of its parts.
void StepLinearization::set_weights(double dt, double dt_before) {
  if (shape_.m == 0) return;
  const auto whole = [&](std::size_t j, Timed length) {
    return std::abs(pieces_[j].length * dt - length.value) <= same_length * std::abs(length.value);
  };
  const auto last = [&](auto& self, std::size_t& j, Timed length) -> Timed {  // piece of a part, and the piece after it
    if (whole(j, length)) return ++j, length;
    self(self, j, 0.5 * length);
    return self(self, j, 0.5 * length);
  };
  std::size_t next = 0;
  Timed before{dt_before, 0.0};
  const auto add = [&](auto& self, Timed length, Timed scale) -> void {
    if (whole(next, length)) {
      const Timed weight = -1.0 * (scale / (0.5 * (before + length)));
      pieces_[next].weight = weight.value;
      pieces_[next].weight_by_dt = weight.by_dt;
      before = length;
      ++next;
      return;
    }
    const Timed half = 0.5 * length;
    std::size_t j = next;
    const Timed middle = last(last, j, half), end = last(last, j, half);
    const Timed first = half + 0.5 * (before - middle), second = half + 0.5 * (middle - end);
    const Timed share = scale / (first + second);
    self(self, half, share * first);
    self(self, half, share * second);
  };
  const double first = order_ == 2 ? 1.0 : composition(order_)[0];
  add(add, {first * dt, first}, {1.0, 0.0});
}

void StepLinearization::end(double* x1, double* lam) const {
  const PartDerivatives& last = *parts_[count_ - 1];
  std::vector<double> q(model_.width());
  last.end(q.data());
  if (model_.balls.empty())
    std::copy(q.begin(), q.end(), x1);
  else
    to_user(model_, q.data(), x1);
  std::copy_n(last.p1(), shape_.nd, x1 + model_.n_coordinates());
  std::fill_n(lam, shape_.m, 0.0);
  for (std::size_t j = 0; j < count_; ++j)
    for (int r = 0; r < shape_.m; ++r) lam[r] += pieces_[j].weight * parts_[j]->mu()[r];
}

bool StepLinearization::write_jacobians(double* A, double* B) {
  if (count_ != 1) return false;
  const int nx = shape_.states(), nc = shape_.controls();
  parts_[0]->write_state_rows({A, B, nx, nc, nc});
  return true;
}

// (DF9)
void StepLinearization::jacobian(RowMatrix& J) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int nx = shape_.states(), k0 = nd;
  const auto add_force = [&, m = m](std::size_t j, const auto& mu) {
    const Piece& piece = pieces_[j];
    J.bottomRows(m) += piece.weight * mu;
    for (int r = 0; r < m; ++r) J(nx + r, shape_.dt()) += piece.weight_by_dt * parts_[j]->mu()[r];
  };
  if (count_ == 1) {
    parts_[0]->jacobian(J);
    if (m == 0) return;
    J.bottomRows(m) *= pieces_[0].weight;
    for (int r = 0; r < m; ++r) J(nx + r, shape_.dt()) += pieces_[0].weight_by_dt * parts_[0]->mu()[r];
    return;
  }
  J.setZero();
  E_.setIdentity(nx, shape_.columns());
  next_.resize(shape_.rows(), shape_.columns());
  for (std::size_t j = 0; j < count_; ++j) {
    const Piece& piece = pieces_[j];
    parts_[j]->jacobian(J_);
    next_.noalias() = J_.leftCols(nx) * E_;
    next_.middleCols(shape_.u(), nu) += J_.middleCols(shape_.u(), nu);
    next_.middleCols(k0, nk) += (1.0 - piece.to) * J_.middleCols(shape_.k(), nk);
    next_.middleCols(shape_.k(), nk) += piece.to * J_.middleCols(shape_.k(), nk);
    next_.col(shape_.dt()) += piece.length * J_.col(shape_.dt()) + piece.from * J_.col(shape_.t());
    next_.col(shape_.t()) += J_.col(shape_.t());
    if (m > 0 && piece.weight != 0.0) add_force(j, next_.bottomRows(m));
    E_ = next_.topRows(nx);
  }
  J.topRows(nx) = E_;
}

// ds_j from ds and the state of the part.
void StepLinearization::piece_input(const Piece& piece, const double* ds, const double* x, double* out) const {
  std::copy_n(x, shape_.states(), out);
  std::copy_n(ds + shape_.u(), shape_.nu, out + shape_.u());
  const double *k0 = ds + shape_.nd, *k1 = ds + shape_.k();
  for (int i = 0; i < shape_.nk; ++i) out[shape_.k() + i] = (1.0 - piece.to) * k0[i] + piece.to * k1[i];
  out[shape_.dt()] = piece.length * ds[shape_.dt()];
  out[shape_.t()] = ds[shape_.t()] + piece.from * ds[shape_.dt()];
}

void StepLinearization::forward(const double* ds, double* out) {
  const int nx = shape_.states(), m = shape_.m;
  std::fill_n(out + nx, m, 0.0);
  const double* x = ds;
  for (std::size_t j = 0; j < count_; ++j) {
    const Piece& piece = pieces_[j];
    piece_input(piece, ds, x, in_.data());
    parts_[j]->forward(in_.data(), row_.data());
    x = row_.data();
    for (int r = 0; r < m; ++r)
      out[nx + r] += piece.weight * row_[nx + r] + piece.weight_by_dt * ds[shape_.dt()] * parts_[j]->mu()[r];
  }
  std::copy_n(row_.begin(), nx, out);
}

void StepLinearization::backward(const double* weights, double* out, ParameterGradient* by, double* parameters) {
  const int nx = shape_.states(), m = shape_.m;
  std::fill_n(out, shape_.columns(), 0.0);
  std::copy_n(weights, nx, row_.begin());
  for (std::size_t j = count_; j-- > 0;) {
    const Piece& piece = pieces_[j];
    for (int r = 0; r < m; ++r) {
      row_[nx + r] = piece.weight * weights[nx + r];
      out[shape_.dt()] += piece.weight_by_dt * weights[nx + r] * parts_[j]->mu()[r];
    }
    parts_[j]->backward(row_.data(), in_.data());
    if (by) parts_[j]->add_parameter_gradient(row_.data(), *by, parameters);
    std::copy_n(in_.begin(), nx, row_.begin());
    for (int i = 0; i < shape_.nu; ++i) out[shape_.u() + i] += in_[shape_.u() + i];
    for (int i = 0; i < shape_.nk; ++i) {
      out[shape_.nd + i] += (1.0 - piece.to) * in_[shape_.k() + i];
      out[shape_.k() + i] += piece.to * in_[shape_.k() + i];
    }
    out[shape_.dt()] += piece.length * in_[shape_.dt()] + piece.from * in_[shape_.t()];
    out[shape_.t()] += in_[shape_.t()];
  }
  for (int i = 0; i < nx; ++i) out[i] += row_[i];
}

void StepLinearization::parameter_jacobian(ParameterGradient& by, double* out) {
  std::vector<double> weights(shape_.rows()), by_s(shape_.columns());
  std::fill_n(out, weights.size() * by.size(), 0.0);
  for (std::size_t r = 0; r < weights.size(); ++r) {
    weights[r] = 1.0;
    backward(weights.data(), by_s.data(), &by, out + r * by.size());
    weights[r] = 0.0;
  }
}

bool StepLinearization::hessian_with_ends(const double* weights, const double* ends, double* H) {
  if (count_ != 1) return false;
  if (weights) {
    std::fill(row_.begin(), row_.end(), 0.0);
    std::copy_n(weights, shape_.states(), row_.begin());
    parts_[0]->backward(row_.data(), in_.data());
  }
  parts_[0]->hessian(weights ? row_.data() : nullptr, ends, H);
  return true;
}

void StepLinearization::forward(const RowMatrix& D, RowMatrix& out) {
  parts_[0]->forward(D, out);
  out.bottomRows(shape_.m) *= pieces_[0].weight;
}

void StepLinearization::hessian_along(const double* weights, const RowMatrix& D, double* H) {
  std::fill(row_.begin(), row_.end(), 0.0);
  std::copy_n(weights, shape_.states(), row_.begin());
  parts_[0]->backward(row_.data(), in_.data());
  parts_[0]->hessian_along(row_.data(), D, H);
}

void StepLinearization::curve_pair(const double* weights, const PairLayout& at, double* to) {
  std::fill(row_.begin(), row_.end(), 0.0);
  std::copy_n(weights, shape_.states(), row_.begin());
  parts_[0]->backward(row_.data(), in_.data());
  parts_[0]->curve_pair(row_.data(), at, to);
}

// (DS5)
void StepLinearization::hessian(const double* weights, double* out) {
  const auto [nq, nd, nu, nk, m] = shape_;
  const int nx = shape_.states(), ns = shape_.dt();
  std::fill(row_.begin(), row_.end(), 0.0);
  std::copy_n(weights, nx, row_.begin());
  if (count_ == 1) {
    parts_[0]->backward(row_.data(), in_.data());
    parts_[0]->hessian(row_.data(), nullptr, out);
    return;
  }
  auto& [E, one, product] = chain_;
  if (E.size() < count_) E.resize(count_);
  for (std::size_t j = 0; j < count_; ++j) {  // E_j has the rows of s_j in ds
    const Piece& piece = pieces_[j];
    E[j].setIdentity(ns, ns);
    E[j].middleRows(shape_.k(), nk).setZero();
    E[j].block(shape_.k(), nd, nk, nk).diagonal().setConstant(1.0 - piece.to);
    E[j].block(shape_.k(), shape_.k(), nk, nk).diagonal().setConstant(piece.to);
    if (j == 0) continue;
    parts_[j - 1]->jacobian(J_);
    E[j].topRows(nx).noalias() = J_.topLeftCorner(nx, ns) * E[j - 1];
  }
  Eigen::Map<RowMatrix> H(out, ns, ns);
  H.setZero();
  one.resize(ns, ns);
  product.resize(ns, ns);
  for (std::size_t j = count_; j-- > 0;) {
    parts_[j]->backward(row_.data(), in_.data());
    parts_[j]->hessian(row_.data(), nullptr, one.data());
    product.noalias() = one * E[j];
    H.noalias() += E[j].transpose() * product;
    std::copy_n(in_.begin(), nx, row_.begin());
  }
}

}  // namespace bough
