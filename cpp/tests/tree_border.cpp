// TreeBorder: rows and columns eliminated along a tree, beside the same matrix written out and solved dense.
#include "bough/solvers/tree_border.hpp"

#include "tests/trees.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

// (TB1) for rows over the joints given, along the tree and dense.
void compare(const std::vector<int>& parents, const std::vector<std::vector<int>>& joints, bool constraints) {
  Newton newton(parents);
  const int n = newton.model.n(), m = static_cast<int>(joints.size());
  Random random(17);
  TreeBorder border;
  border.resize(newton.model, joints);
  Matrix all = newton.matrix();
  for (auto& row : all) row.resize(n + m, 0.0);
  all.resize(n + m, std::vector<double>(n + m, 0.0));
  for (int s = 0; s < m; ++s) {
    for (std::size_t k = 0; k < joints[s].size(); ++k) {
      all[joints[s][k]][n + s] = border.column(s)[k] = random();
      all[n + s][joints[s][k]] = border.row(s)[k] = random();
    }
    all[n + s][n + s] = border.corner(s) = constraints ? 0.0 : -1.0;
  }
  for (int sample = 0; sample < 3; ++sample) {
    const std::vector<double> b = random_matrix(1, n + m, 40 + sample)[0], expected = gauss(all, b);
    std::vector<double> x(b.begin(), b.begin() + n), y(b.begin() + n, b.end());
    if (sample == 0)
      expect(newton.factor(x.data(), &border, y.data()), "the bordered matrix is regular");
    else
      newton.solver.solve(newton.model, x.data(), &border, y.data());
    x.insert(x.end(), y.begin(), y.end());
    near(distance(x, expected), 0.0, 1e-9 * distance(expected, std::vector<double>(n + m, 0.0)), "x and y");
  }
}

const std::vector<int> chain = {-1, 0, 1, 2, 3, 4, 5, 6}, forked = {-1, 0, 1, 2, 1, 4, 5, 0, 7},
                       forest = {-1, 0, 1, -1, 3, 4, -1, 6};

}  // namespace

CASE(tree_border_closes_rows_inside_a_chain) { compare(chain, {{0, 1, 2}, {3, 4}, {5, 6, 7}, {7}}, true); }
CASE(tree_border_closes_rows_at_a_fork) { compare(forked, {{2, 3, 4, 5}, {3, 6}, {7, 8}}, true); }
CASE(tree_border_leaves_rows_to_the_root) { compare(forest, {{0, 1, 3, 4}, {2, 7}, {5, 6, 7}}, true); }
CASE(tree_border_takes_rows_of_elements) {
  compare(forked, {{1, 2, 3}, {1, 2, 3}, {4, 5, 6}, {2, 6, 8}, {0, 8}}, false);
}

CASE(tree_border_reports_a_singular_group) {
  Newton newton(chain);
  TreeBorder border;
  border.resize(newton.model, {{1, 2}, {1, 2}, {5, 6}});
  for (int s = 0; s < 3; ++s)
    for (int k = 0; k < 2; ++k) border.column(s)[k] = border.row(s)[k] = 1.0 + k;
  std::vector<double> x(newton.model.n(), 1.0), y(3, 0.0);
  expect(!newton.factor(x.data(), &border, y.data()), "two equal rows are refused");
}
