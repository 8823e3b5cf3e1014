// PlanarNewton: the solutions of TreeNewton on trees that move in a plane.
#include "bough/solvers/planar_newton.hpp"

#include "tests/trees.hpp"

using namespace bough;
using namespace bough::tests;

CASE(planar_newton_solves_as_tree_newton_does) {
  for (const auto& parents : {std::vector<int>{-1}, std::vector<int>{-1, 0, 1, 2, 3, 4, 5},
                              std::vector<int>{-1, 0, 1, 1, 3, 0}, std::vector<int>{-1, 0, 1, 1, 3, 1, 0, 6, 6, -1, 9}})
    for (int axis = 0; axis < 3; ++axis)
      for (const bool held : {false, true}) {  // whether a joint in the middle is kinematic
        Newton newton(tree(parents, axis));
        expect(newton.model.plane.axis == axis, "the axis of the tree");
        const int n = newton.model.n();
        if (held && n > 3) newton.model.joints[2].dynamic = false;
        PlanarNewton planar(newton.model);
        for (int i = 0; i < n; ++i) planar.diagonal(i) = 3.0 + i;
        Random random(7);
        std::vector<double> r(n);
        for (double& x : r) x = random();
        const auto agree = [&](const std::vector<double>& x, const std::vector<double>& y, const std::string& what) {
          double size = 0.0;
          for (const double value : x) size = std::max(size, std::abs(value));
          for (int i = 0; i < n; ++i) near(y[i], x[i], 1e-12 * size, what);
        };
        std::vector<double> x = r, y = r;
        expect(newton.factor(x.data()), "the tree has a solution");
        expect(planar.factor(newton.model, {newton.state, newton.bodies, newton.dt}, newton.alpha, y.data()),
               "so has the plane");
        agree(x, y, "with the factorisation");
        x = y = r;
        newton.solver.solve(newton.model, x.data());
        planar.solve<false>(newton.model, y.data());
        agree(x, y, "with the factors");
        x = y = r;
        newton.solver.solve_transposed(newton.model, x.data());
        planar.solve<true>(newton.model, y.data());
        agree(x, y, "transposed");
      }
}
