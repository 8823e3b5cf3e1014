#include "bough/solvers/step_matrix.hpp"

#include <stdexcept>

#include "bough/dynamics/elements.hpp"
#include "bough/solvers/by_ratio.hpp"
#include "bough/spatial/lanes.hpp"

namespace bough {
namespace {

constexpr int most_flat = 64;       // variables up to which a dense K has a flat LU
constexpr int most_registers = 6;   // of columns that a flat LU solves for at once
constexpr int longest_detour = 64;  // factorisations without borders after one whose group of constraints was singular:
                                    // a motion passes through such a place, redundant rows stay singular

// Columns side by side, as right-hand sides of a flat LU: sums of six registers do not wait for each other.
template <int registers>
struct Columns {
  Lane4 lanes[registers];
  friend Columns operator-(const Columns& a, const Columns& b) {
    Columns c;
    for (int k = 0; k < registers; ++k) c.lanes[k] = a.lanes[k] - b.lanes[k];
    return c;
  }
  friend Columns operator*(double s, const Columns& a) {
    Columns c;
    for (int k = 0; k < registers; ++k) c.lanes[k] = s * a.lanes[k];
    return c;
  }
};

}  // namespace

TreeTerms StepTerms::tree_terms() const { throw std::logic_error("K of this rule does not follow the tree"); }

StepMatrix::StepMatrix(const Model& model, bool along_tree, bool elements) : model_(model) {
  schur_.resize(model.elements.n_constraints, model.n_dynamic);
  if (along_tree)
    make_borders(elements);
  else
    preferred_ = active_ = Factorisation::dense;
  direct_ = model.n() == model.n_dynamic;
  for (int i = 0; i < model.n(); ++i) {
    const Joint& joint = model.joints[i];
    direct_ &= joint.dynamic && joint.variable == i && joint.ratio == 1.0;
  }
  if (preferred_ != Factorisation::dense) {
    joint_.resize(std::max(model.joints.size() + 1, static_cast<std::size_t>(model.n_variables)));
    const bool rows = preferred_ == Factorisation::bordered && model.elements.n_constraints > 0;
    tree_.resize(model, rows || elements_.size() > 0 || !model.balls.empty());
    if (preferred_ == Factorisation::columns) tree_.reserve_columns();
    if (model.plane.axis >= 0 && model.elements.n_constraints + elements_.size() == 0)
      planar_ = std::make_unique<PlanarNewton>(model);
    if (couplings_.empty()) return;
    H_.resize(static_cast<std::size_t>(model.n_variables) * model.n_variables);
  }
  dense_.resize(model.n_variables, model.n_dynamic, model.elements.n_contacts > 0);
}

// Which joints each row has, and whether that saves work.
void StepMatrix::make_borders(bool elements) {
  const double n = model_.n(), m = model_.elements.n_constraints;
  const auto dynamic = [this](std::vector<int> found) {
    std::erase_if(found, [this](int i) { return !model_.joints[i].dynamic; });
    return found;
  };
  bool known = !model_.shared;
  std::vector<std::vector<int>> rows;
  const auto couple = [&](const auto& e, Coupling c) {
    if (!elements || e->diagonal()) return;
    const Support support = e->support(model_);
    known &= support.known;
    c.joints = dynamic(joints(model_, support));
    c.first = static_cast<int>(rows.size());
    rows.insert(rows.end(), c.joints.size(), c.joints);
    couplings_.push_back(std::move(c));
  };
  for (const auto& e : model_.elements.potentials) couple(e, {e, nullptr, {}, 0});
  for (const auto& e : model_.elements.forces) couple(e, {nullptr, e, {}, 0});
  const auto dense = [this] {
    couplings_.clear();
    preferred_ = active_ = Factorisation::dense;
  };
  if (!known || rows.size() > 4 * n || (!model_.balls.empty() && !rows.empty())) return dense();
  elements_.resize(model_, rows);
  if (!rows.empty() && elements_.work() + 300.0 * n > 0.7 * n * n * n + 20.0 * n * n) return dense();
  constraint_joints_ = ConstraintRows(model_).joints;
  for (auto& found : constraint_joints_) rows.push_back(found = dynamic(std::move(found)));
  border_.resize(rows.size());
  if (m == 0) return;
  if (!model_.balls.empty()) {  // whose blocks have no borders
    preferred_ = active_ = Factorisation::schur;
    return;
  }
  all_.resize(model_, rows);
  if (couplings_.empty() && m <= FewRows::most && FewRows::work(model_.n(), static_cast<int>(m)) < all_.work()) {
    few_.resize(model_, constraint_joints_);
    preferred_ = active_ = Factorisation::columns;
    return;
  }
  if (all_.work() > elements_.work() + m * (60.0 * n + 2.0 * m * n + m * m))
    preferred_ = active_ = Factorisation::schur;
}

// (SM1); a tree takes the last column along.
bool StepMatrix::factor(StepTerms& terms, const Jacobians& D, double* x, double* y, int columns) {
  active_ = preferred_;
  if (active_ != Factorisation::dense) {
    const int others = columns - 1;
    if (factor_along(terms, D, x + static_cast<std::ptrdiff_t>(others) * D.n_dynamic, y + others * D.rows)) {
      solve(D, x, y, others);
      return true;
    }
    if (couplings_.empty()) return false;
    active_ = Factorisation::dense;
  }
  if (!dense_.factor(terms, model_.n_variables)) return false;
  schur_.factor(D, [this](double* z) { dense_.solve(z); });
  schur_.set_rows(D);
  solve(D, x, y, columns);
  return true;
}

bool StepMatrix::factor_along(StepTerms& terms, const Jacobians& D, double* x, double* y) {
  const TreeTerms tree = terms.tree_terms();
  set_diagonal(terms);
  set_elements(terms);
  if (active_ == Factorisation::columns) {
    if (!factor_tree(tree, elements_, x, nullptr)) return false;
    few_.factor(model_, tree_, D);
    few_.solve(model_, x, y);
    return true;
  }
  if (active_ == Factorisation::bordered && D.rows > 0 && detour.left == 0) {
    set_constraints(D);
    if (factor_tree(tree, all_, x, y)) {
      detour.next = 1;
      return true;
    }
    detour.left = detour.next;
    detour.next = std::min(2 * detour.next, longest_detour);
  }
  active_ = Factorisation::schur;
  detour.left = std::max(0, detour.left - 1);
  if (!factor_tree(tree, elements_, x, nullptr)) return false;
  schur_.factor(D, [this](double* z) { solve_tree(elements_, z, nullptr); });
  schur_.set_rows(D);
  schur_.solve(D, x, y);
  return true;
}

void StepMatrix::solve_again(const Jacobians& D, double* x, double* y) {
  if (reads_rows()) schur_.set_rows(D);
  solve(D, x, y, 1);
}

void StepMatrix::solve(const Jacobians& D, double* x, double* y, int columns) {
  if (active_ == Factorisation::dense) dense_.solve(x, columns);
  for (int c = 0; c < columns; ++c, x += D.n_dynamic, y += D.rows) {
    if (active_ == Factorisation::bordered) {
      solve_tree(all_, x, y);
      continue;
    }
    if (active_ != Factorisation::dense) solve_tree(elements_, x, nullptr);
    if (active_ == Factorisation::columns)
      few_.solve(model_, x, y);
    else
      schur_.solve(D, x, y);
  }
}

void StepMatrix::solve_transposed(const Jacobians& D, double* x, double* y, int columns) {
  for (int c = 0; c < columns; ++c, x += D.n_dynamic, y += D.rows) {
    if (active_ == Factorisation::bordered) {
      solve_tree(all_, x, y, true);
      continue;
    }
    if (active_ == Factorisation::columns)
      few_.solve_transposed(model_, x, y);
    else
      schur_.solve_transposed(D, x, y);
    if (active_ == Factorisation::dense)
      dense_.solve_transposed(x);
    else
      solve_tree(elements_, x, nullptr, true);
  }
}

// Springs and dampers on single variables, from variables to joint parameters.
void StepMatrix::set_diagonal(const StepTerms& terms) {
  if (model_.elements.potentials.empty() && model_.elements.forces.empty()) return;
  std::fill(joint_.begin(), joint_.end(), 0.0);
  terms.add_diagonal(joint_.data());
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    (planar_ ? planar_->diagonal(i) : tree_.diagonal(i)) = joint_[joint.variable] / (joint.ratio * joint.ratio);
  }
}

// (M4)
void StepMatrix::set_elements(const StepTerms& terms) {
  const std::size_t n = model_.n_variables;
  for (const Coupling& c : couplings_) {
    const int size = static_cast<int>(c.joints.size());
    const auto entry = [&](int i, int j) -> double& {
      return H_[model_.joints[c.joints[i]].variable * n + model_.joints[c.joints[j]].variable];
    };
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) entry(i, j) = 0.0;
    terms.add_coupling(c.potential.get(), c.force.get(), H_.data());
    for (int i = 0; i < size; ++i) {
      const double ratio = model_.joints[c.joints[i]].ratio;
      for (TreeBorder* border : {&elements_, &all_}) {
        if (border->size() == 0) continue;
        double *column = border->column(c.first + i), *row = border->row(c.first + i);
        for (int j = 0; j < size; ++j) {
          column[j] = i == j ? 1.0 : 0.0;
          row[j] = entry(i, j) / (ratio * model_.joints[c.joints[j]].ratio);
        }
        border->corner(c.first + i) = -1.0;
      }
    }
  }
}

void StepMatrix::set_constraints(const Jacobians& D) {
  const int first = all_.size() - D.rows;
  for (int r = 0; r < D.rows; ++r) {
    const std::size_t start = static_cast<std::size_t>(r) * D.n;
    double *column = all_.column(first + r), *row = all_.row(first + r);
    for (std::size_t k = 0; k < constraint_joints_[r].size(); ++k) {
      const Joint& joint = model_.joints[constraint_joints_[r][k]];
      column[k] = -D.Dh0[start + joint.variable] / joint.ratio;
      row[k] = D.Dh1[start + joint.variable] / joint.ratio;
    }
  }
}

// y: over the constraints that are in the border, or null.
bool StepMatrix::factor_tree(const TreeTerms& terms, TreeBorder& border, double* x, double* y) {
  const int size = border.size(), rows = y ? size - elements_.size() : 0;
  double* const r = to_joints(x);
  const TreeSweep sweep{terms.state, terms.bodies, terms.dt};
  if (planar_ || terms.balls) {
    if (!(planar_ ? planar_->factor(model_, sweep, terms.alpha, r) : tree_.factor(model_, sweep, *terms.balls, r)))
      return false;
    to_variables(x);
    return true;
  }
  if (size > 0) {
    std::fill_n(border_.begin(), size - rows, 0.0);
    if (rows > 0) std::copy_n(y, rows, border_.begin() + size - rows);
  }
  if (!tree_.factor(model_, terms.state, terms.bodies, terms.dt, terms.alpha, r, size > 0 ? &border : nullptr,
                    border_.data()))
    return false;
  to_variables(x);
  if (rows > 0) std::copy_n(border_.begin() + size - rows, rows, y);
  return true;
}

void StepMatrix::solve_tree(TreeBorder& border, double* x, double* y, bool transposed) {
  const int size = border.size(), rows = y ? size - elements_.size() : 0;
  double* const r = to_joints(x);
  if (planar_) {
    transposed ? planar_->solve<true>(model_, r) : planar_->solve<false>(model_, r);
    to_variables(x);
    return;
  }
  if (!model_.balls.empty()) {
    transposed ? tree_.solve_blocks<true>(model_, r) : tree_.solve_blocks<false>(model_, r);
    to_variables(x);
    return;
  }
  std::fill_n(border_.begin(), size - rows, 0.0);
  if (rows > 0) std::copy_n(y, rows, border_.begin() + size - rows);
  TreeBorder* const bordered = size > 0 ? &border : nullptr;
  if (transposed)
    tree_.solve_transposed(model_, r, bordered, border_.data());
  else
    tree_.solve(model_, r, bordered, border_.data());
  to_variables(x);
  if (rows > 0) std::copy_n(border_.begin() + size - rows, rows, y);
}

// Right-hand sides and solutions between variables and joint parameters: each dynamic variable has one joint here.
double* StepMatrix::to_joints(double* x) {
  if (direct_) return x;
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    joint_[i] = joint.dynamic ? by_ratio(x[joint.variable], joint.ratio) : 0.0;
  }
  return joint_.data();
}

void StepMatrix::to_variables(double* x) const {
  if (direct_) return;
  for (int i = 0; i < model_.n(); ++i) {
    const Joint& joint = model_.joints[i];
    if (joint.dynamic) x[joint.variable] = by_ratio(joint_[i], joint.ratio);
  }
}

void StepMatrix::Dense::resize(int n, int n_dynamic, bool with_contacts) {
  all.resize(static_cast<std::size_t>(n) * n);
  rhs.resize(n_dynamic);
  is_flat = with_contacts && 0 < n_dynamic && n_dynamic <= most_flat;
  if (is_flat) {
    flat.resize(n_dynamic);
    lanes.resize(static_cast<std::size_t>(n_dynamic) * most_registers);
  } else {
    K.resize(n_dynamic, n_dynamic);
    lu.resize(n_dynamic);
  }
}

bool StepMatrix::Dense::factor(StepTerms& terms, int n) {
  const int nd = static_cast<int>(rhs.size());
  terms.set_dense(all.data());
  if (is_flat) {
    for (int i = 0; i < nd; ++i)
      for (int j = 0; j < nd; ++j) flat(i, j) = all[i * n + j];
    return flat.factor(0.0);
  }
  for (int i = 0; i < nd; ++i)
    for (int j = 0; j < nd; ++j) K(i, j) = all[i * n + j];
  lu.factor(K);
  if (nd == 0) return true;
  const DenseLu::Pivots pivots = lu.pivots();
  return pivots.least > 0.0 && std::isfinite(pivots.largest);
}

// x: `count` columns, one after the other.
void StepMatrix::Dense::solve(double* x, int count) {
  const std::ptrdiff_t nd = rhs.size();
  for (; !is_flat && count > 0; --count, x += nd) {
    rhs = Eigen::Map<Eigen::VectorXd>(x, nd);
    lu.solve(rhs, x);
  }
  for (int taken; count > 1; count -= taken, x += taken * nd) {
    taken = std::min(count, 4 * most_registers);
    if (taken > 12)
      solve_columns<most_registers>(x, taken);
    else if (taken > 4)
      solve_columns<3>(x, taken);
    else
      solve_columns<1>(x, taken);
  }
  if (count == 1) flat.solve(x);
}

template <int registers>
void StepMatrix::Dense::solve_columns(double* x, int count) {
  const std::ptrdiff_t nd = rhs.size();
  auto* const columns = reinterpret_cast<Columns<registers>*>(lanes.data());
  for (std::ptrdiff_t i = 0; i < nd; ++i) {
    columns[i] = {};
    for (int c = 0; c < count; ++c) set_lane(columns[i].lanes[c / 4], c % 4, x[c * nd + i]);
  }
  flat.solve(columns);
  for (std::ptrdiff_t i = 0; i < nd; ++i)
    for (int c = 0; c < count; ++c) x[c * nd + i] = columns[i].lanes[c / 4][c % 4];
}

void StepMatrix::Dense::solve_transposed(double* x) {
  if (is_flat) return flat.solve_transposed(x);
  rhs = Eigen::Map<Eigen::VectorXd>(x, rhs.size());
  lu.solve_transposed(rhs, x);
}

}  // namespace bough
