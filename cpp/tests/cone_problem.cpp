// ConeProblem beside all solutions by enumeration of statuses, beside closed forms, and beside the law of Coulomb itself.
#include "bough/solvers/cone_problem.hpp"

#include "tests/cones.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

struct Solved {
  bool done;
  std::vector<double> r, y;
  double residual;
  ConeProblem::Method method;
  int iterations;
};

Solved solved(const std::vector<double>& G, const std::vector<double>& b, const std::vector<ConeRows>& contacts,
              std::vector<double> r = {}) {
  ConeProblem problem;
  const int rows = static_cast<int>(b.size()), n = static_cast<int>(contacts.size());
  problem.resize(rows, n);
  r.resize(b.size(), 0.0);
  std::vector<double> y(b.size());
  const bool done = problem.solve(G.data(), b.data(), contacts.data(), n, r.data(), y.data());
  return {done, r, y, problem.residual(), problem.method(), problem.iterations()};
}

// The rows of one status of a planar contact or of a normal: 0 open, 1 stick, 2 and 3 slide to either side; A r = a.
void set_status(const std::vector<double>& G, const std::vector<double>& b, const ConeRows& c, int status, Matrix& A,
                std::vector<double>& a) {
  const std::size_t m = b.size();
  const auto row_of_G = [&](int i) {
    for (std::size_t j = 0; j < m; ++j) A[i][j] = G[i * m + j];
    a[i] = -b[i];
  };
  for (int k = 0; k < c.rows; ++k) A[c.first + k][c.first + k] = 1.0;
  if (status == 0) return;
  row_of_G(c.first);
  if (status == 1 && c.rows > 1) row_of_G(c.first + 1);
  if (status > 1) A[c.first + 1][c.first] = status == 2 ? c.friction : -c.friction;
}

// All solutions: every set of statuses whose linear system satisfies the law.
std::vector<std::vector<double>> enumerated(const std::vector<double>& G, const std::vector<double>& b,
                                            const std::vector<ConeRows>& contacts) {
  std::vector<std::vector<double>> found;
  const std::size_t m = b.size();
  int combinations = 1;
  for (const ConeRows& c : contacts) combinations *= c.rows > 1 ? 4 : 2;
  for (int k = 0; k < combinations; ++k) {
    Matrix A(m, std::vector<double>(m, 0.0));
    std::vector<double> a(m, 0.0);
    int rest = k;
    for (const ConeRows& c : contacts) {
      const int choices = c.rows > 1 ? 4 : 2;
      set_status(G, b, c, rest % choices, A, a);
      rest /= choices;
    }
    const std::vector<double> r = gauss(A, a);
    std::vector<double> y = times_square(G, r);
    double size = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
      y[i] += b[i];
      size = std::max({size, std::abs(r[i]), std::abs(y[i])});
    }
    if (std::isfinite(size) && coulomb(contacts, r, y) <= 1e-10 * (1.0 + size) * (1.0 + size)) found.push_back(r);
  }
  return found;
}

double nearest(const std::vector<std::vector<double>>& all, const std::vector<double>& r) {
  double least = HUGE_VAL;
  for (const auto& one : all) least = std::min(least, distance(one, r));
  return least;
}

std::vector<double> flat(const Matrix& A) {
  std::vector<double> all;
  for (const auto& row : A) all.insert(all.end(), row.begin(), row.end());
  return all;
}

// A stack of boxes of one metre, four contacts in each layer, under a step of 0.01 s of gravity; the top is pushed.
struct Stack {
  Bodies bodies;
  std::vector<double> G, b;
  std::vector<double> masses;
};

Stack stack(const std::vector<double>& masses, double friction, double push, double top_friction) {
  Stack s;
  s.masses = masses;
  const double impulse = 9.81 * 0.01;
  std::vector<double> v;
  const int n = static_cast<int>(masses.size());
  for (int i = 0; i < n; ++i) {
    const double moment = masses[i] / 6.0;
    s.bodies.add(masses[i], {moment, moment, moment}, {0, 0, 0.5 + i});
    v.insert(v.end(), {i == n - 1 ? push * impulse : 0.0, 0, -impulse, 0, 0, 0});
  }
  for (int i = 0; i < n; ++i)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        s.bodies.touch(i, i - 1, {x, y, 1.0 * i}, {0, 0, 1}, {1, 0, 0}, i == n - 1 ? top_friction : friction);
  s.G = s.bodies.delassus();
  s.b = times(s.bodies.J, v);
  return s;
}

}  // namespace

CASE(cone_without_friction_is_the_only_solution) {
  for (int m = 1; m <= 7; ++m)
    for (unsigned seed = 0; seed < 40; ++seed) {
      Matrix S = gram(random_matrix(m, m, 100 * m + seed));
      std::vector<ConeRows> contacts;
      for (int i = 0; i < m; ++i) {
        S[i][i] += 0.05;
        contacts.push_back({i, 1, 0.0});
      }
      const std::vector<double> G = flat(S), b = random_matrix(1, m, 9000 + 100 * m + seed)[0];
      const auto all = enumerated(G, b, contacts);
      expect(all.size() == 1, "there is one solution");
      const Solved s = solved(G, b, contacts);
      expect(s.done, "it is solved");
      near(distance(s.r, all[0]), 0.0, 1e-9, "r of " + std::to_string(m) + " rows");
    }
}

// With friction there may be several solutions, or none; then it is not solved.
CASE(cone_in_the_plane_is_one_of_all_solutions) {
  int several = 0, none = 0;
  for (int n = 1; n <= 3; ++n)
    for (unsigned seed = 0; seed < 300; ++seed) {
      Random random(7000 * n + seed);
      Matrix S = gram(random_matrix(2 * n, 2 * n, 50 * n + seed));
      std::vector<ConeRows> contacts;
      for (int i = 0; i < n; ++i) contacts.push_back({2 * i, 2, 1.5 * (1.0 + random())});
      for (int i = 0; i < 2 * n; ++i)
        for (int j = 0; j < 2 * n; ++j) S[i][j] += i == j ? 0.05 : 0.02 * random();  // not symmetric, as in a step
      const std::vector<double> G = flat(S), b = random_matrix(1, 2 * n, 4000 + 70 * n + seed)[0];
      const auto all = enumerated(G, b, contacts);
      const Solved s = solved(G, b, contacts);
      const std::string what = std::to_string(n) + " contacts, seed " + std::to_string(seed);
      several += all.size() > 1;
      none += all.empty();
      expect(s.done == !all.empty(), "it is solved if there is a solution: " + what);
      if (s.done) near(nearest(all, s.r), 0.0, 1e-8, "r of " + what);
    }
  expect(several > 5 && none == 0,
         std::to_string(several) + " have several solutions, " + std::to_string(none) + " none");
}

// Velocities of very different sizes beside friction that jams, as where feet stand and joints come to their stops: the central path of
// some problems turns, and leads to a solution all the same. If κ could only fall along it, 27 were missed.
CASE(cone_whose_path_turns) {
  int along = 0, missed = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Random random(80000 + seed);
    std::vector<ConeRows> contacts = {{0, 1, 0.0}};
    for (int i = 0; i < 3; ++i) contacts.push_back({1 + 2 * i, 2, 1.0 + random()});
    Matrix S = gram(random_matrix(7, 7, 300000 + seed));
    for (int i = 0; i < 7; ++i) S[i][i] += 0.01;
    std::vector<double> b(7);
    for (const ConeRows& c : contacts)
      for (int k = 0; k < c.rows; ++k) b[c.first + k] = random() * std::pow(10.0, -3.0 * (1.0 + random()));
    const std::vector<double> G = flat(S);
    const Solved s = solved(G, b, contacts);
    if (s.done && s.method != ConeProblem::Method::path) continue;
    const auto all = enumerated(G, b, contacts);
    missed += !s.done && !all.empty();
    along += s.done;
    if (s.done) near(nearest(all, s.r), 0.0, 1e-8, "r of seed " + std::to_string(seed));
  }
  expect(along > 300, std::to_string(along) + " are solved along the path");
  expect(missed < 5, std::to_string(missed) + " are missed");
}

// One spatial contact that slides: y_t along u, r = r_n (1, -m u), y_n = 0, the angle of u by bisection.
CASE(cone_slides_in_the_direction_of_its_slip) {
  int slid = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Matrix S = gram(random_matrix(3, 3, 300 + seed));
    for (int i = 0; i < 3; ++i) S[i][i] += 0.5;
    std::vector<double> b = random_matrix(1, 3, 600 + seed)[0];
    b[0] = -0.2 - std::abs(b[0]);
    const double m = 0.3;
    const Solved s = solved(flat(S), b, {{0, 3, m}});
    expect(s.done, "it is solved");
    if (std::hypot(s.y[1], s.y[2]) < 1e-9) continue;
    ++slid;
    const auto of_angle = [&](double angle, double& along, double& normal) {
      const double u[2] = {std::cos(angle), std::sin(angle)};
      normal = -b[0] / (S[0][0] - m * (S[0][1] * u[0] + S[0][2] * u[1]));
      const std::vector<double> y = times(S, {normal, -m * normal * u[0], -m * normal * u[1]});
      along = (y[1] + b[1]) * u[0] + (y[2] + b[2]) * u[1];
      return (y[2] + b[2]) * u[0] - (y[1] + b[1]) * u[1];
    };
    double least = HUGE_VAL, along, normal;
    for (int k = 0; k < 720; ++k) {
      double low = k * M_PI / 360.0, high = low + M_PI / 360.0;
      const double at_low = of_angle(low, along, normal);
      if ((at_low < 0.0) == (of_angle(high, along, normal) < 0.0)) continue;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        ((of_angle(middle, along, normal) < 0.0) == (at_low < 0.0) ? low : high) = middle;
      }
      of_angle(low, along, normal);
      if (along > 0.0 && normal > 0.0)
        least = std::min(least, distance(s.r, {normal, -m * normal * std::cos(low), -m * normal * std::sin(low)}));
    }
    near(least, 0.0, 1e-12, "r of seed " + std::to_string(seed));
  }
  expect(slid > 50, "many slide");
}

// Corners share evenly, from whatever start. Half of the rows depend on the others: without fused products the residual does
// not fall below some 3e-12, which the solver takes as round-off.
CASE(cone_of_a_stack_at_rest_shares_the_weight) {
  for (const auto& masses :
       {std::vector<double>(5, 1.0), std::vector<double>(10, 1.0), std::vector<double>{1, 1, 1000}}) {
    const Stack s = stack(masses, 0.5, 0.0, 0.5);
    for (const unsigned seed : {0U, 1U}) {
      std::vector<double> start(s.b.size(), 0.0);
      if (seed > 0) start = random_matrix(1, static_cast<int>(s.b.size()), seed)[0];
      const Solved found = solved(s.G, s.b, s.bodies.contacts, start);
      expect(found.done && found.residual <= 1e-11, "a stack of " + std::to_string(masses.size()) + " is solved");
      double above = 0.0;
      for (std::size_t i = masses.size(); i-- > 0;) {
        above += masses[i];
        for (int corner = 0; corner < 4; ++corner)
          near(found.r[12 * i + 3 * corner], 0.25 * above * 9.81 * 0.01, 1e-11 * above, "share of a corner");
      }
      for (const double y : found.y) near(y, 0.0, 1e-12, "velocity at rest");
    }
  }
}

// The last two of the table: the top box slides off with (push - m g), and a heavy one that is pushed lifts an edge.
CASE(cone_of_a_stack_that_is_pushed) {
  const Stack sliding = stack(std::vector<double>(5, 1.0), 0.8, 0.5, 0.3);
  const Solved s = solved(sliding.G, sliding.b, sliding.bodies.contacts);
  expect(s.done && s.residual <= 1e-12, "the sliding one is solved");
  near(coulomb(sliding.bodies.contacts, s.r, s.y), 0.0, 1e-13, "law of the sliding one");
  for (int corner = 0; corner < 4; ++corner) near(s.y[48 + 3 * corner + 1], 0.0981 * (0.5 - 0.3), 1e-13, "slip");
  const Stack tilting = stack({1, 1, 1, 1, 100}, 0.5, 0.2, 0.5);
  const Solved t = solved(tilting.G, tilting.b, tilting.bodies.contacts);
  expect(t.done && t.residual <= 1e-12, "the tilting one is solved");
  near(coulomb(tilting.bodies.contacts, t.r, t.y), 0.0, 1e-9, "law of the tilting one");  // impulses of 10
  expect(std::max({t.y[0], t.y[12], t.y[24], t.y[36]}) > 1e-3, "an edge at the back lifts");
}

// Faces on each other whose angle a step has not settled yet: rows depend on each other but for 1e-12, and are solved as if they did.
CASE(cone_of_rows_that_nearly_depend) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Stack s = stack(std::vector<double>(4, 1.0), 0.8, 0.5, 0.3);
    const Solved plain = solved(s.G, s.b, s.bodies.contacts);
    std::vector<double> G = s.G;
    Random random(500 + seed);
    for (double& g : G) g += 1e-12 * random();
    std::vector<double> start = plain.r;  // that of the step before
    for (double& r : start) r *= 1.01;
    const Solved found = solved(G, s.b, s.bodies.contacts, start);
    const std::string what = " of seed " + std::to_string(seed);
    expect(found.done && found.method == ConeProblem::Method::newton, "it is solved by Newton's method" + what);
    near(distance(found.r, plain.r), 0.0, 1e-8, "r" + what);
  }
}

// Corners of a box that stick keep their distance. If b asks them to come apart, Newton's method from sticking leaves the
// contradiction, which is told at once; if it is small, it is taken, and if it is not too large, b goes without it: the impulses are
// those of a box that is not asked for this, y is what it is asked for, and no corner opens or slides.
CASE(cone_of_rows_that_contradict_each_other) {
  for (const double contradiction : {2e-10, 1e-6, 1e-3}) {
    const Stack s = stack({1.0}, 0.8, 0.1, 0.8);
    const Solved sticks = solved(s.G, s.b, s.bodies.contacts);
    std::vector<double> b = s.b;
    const double apart = contradiction * 0.0981;
    for (int corner = 0; corner < 4; ++corner) b[3 * corner + 1] += corner < 2 ? -apart : apart;
    ConeProblem problem;
    const int rows = static_cast<int>(b.size()), n = static_cast<int>(s.bodies.contacts.size());
    problem.resize(rows, n);
    for (const bool tells : {true, false}) {
      std::vector<double> r = sticks.r, y(b.size());
      problem.tells_inconsistent = tells;
      const bool done = problem.solve(s.G.data(), b.data(), s.bodies.contacts.data(), n, r.data(), y.data());
      const bool reconciled = !tells && contradiction == 1e-6;
      expect(problem.reconciled() == reconciled, "b goes without what is small but not round-off");
      if (!tells && contradiction > 1e-9) {  // by more than that, a corner slides
        expect(done && problem.residual() <= 1e-12, "it is solved");
        for (int corner = 0; corner < 4; ++corner) {
          const ConeStatus status = problem.status(corner);
          if (reconciled) expect(status == ConeStatus::stick, "a corner sticks");
          near(y[3 * corner], 0.0, 1e-12, "velocity along the normal");
        }
        const double moved = distance(r, sticks.r);
        if (reconciled) {
          near(moved, 0.0, 1e-12, "impulses are those without it");
          for (int corner = 0; corner < 4; ++corner)
            near(y[3 * corner + 1], corner < 2 ? -apart : apart, 1e-15, "what is taken out is in y");
        }
        continue;
      }
      expect(done == !tells, "it is taken unless it is to be told");
      expect(problem.inconsistent() && problem.method() == ConeProblem::Method::newton, "Newton's method tells");
      near(problem.residual(), contradiction, contradiction, "what is left");
    }
  }
}

// Corners of a box whose heights are off by what no turn of it makes up for, as those of a robot whose file has twelve digits: b goes
// without it if it is of round-off, whether contradictions are to be told or not, and all corners carry their share. If not, a
// corner opens.
CASE(cone_of_corners_of_other_heights) {
  const Stack s = stack({1.0}, 0.8, 0.1, 0.8);
  const Solved flat = solved(s.G, s.b, s.bodies.contacts);
  const double off = 1e-8 * 0.0981;
  std::vector<double> b = s.b;
  for (int corner = 0; corner < 4; ++corner) b[3 * corner] += corner == 0 || corner == 3 ? -off : off;
  const int rows = static_cast<int>(b.size());
  for (const double round_off : {0.5 * off, 50.0 * off})
    for (const bool tells : {true, false}) {
      ConeProblem problem;
      problem.resize(rows, 4);
      problem.set_floor(0.0981, round_off);
      problem.tells_inconsistent = tells;
      std::vector<double> r = flat.r, y(b.size());
      const bool done = problem.solve(s.G.data(), b.data(), s.bodies.contacts.data(), 4, r.data(), y.data());
      expect(problem.reconciled() == (round_off > off), "b goes without what is of round-off");
      if (!problem.reconciled()) continue;
      expect(done && problem.residual() <= 1e-12, "it is solved");
      near(distance(r, flat.r), 0.0, 1e-12, "impulses are those of even corners");
      for (int corner = 0; corner < 4; ++corner) {
        expect(problem.status(corner) == ConeStatus::stick, "a corner sticks");
        near(y[3 * corner], corner == 0 || corner == 3 ? -off : off, 1e-15, "what is taken out is in y");
      }
    }
}

// Units of rows and of impulses do not matter: a contact in millimetres beside one in metres.
CASE(cone_does_not_depend_on_units) {
  const Stack s = stack({1, 1, 1}, 0.5, 0.4, 0.3);
  const Solved plain = solved(s.G, s.b, s.bodies.contacts);
  const std::size_t m = s.b.size();
  std::vector<double> G = s.G, b = s.b, units(m);
  for (std::size_t i = 0; i < m; ++i) units[i] = i / 3 % 2 == 0 ? 1.0 : 1e3;
  for (std::size_t i = 0; i < m; ++i) {
    b[i] *= units[i];
    for (std::size_t j = 0; j < m; ++j) G[i * m + j] *= units[i] * units[j];
  }
  const Solved other = solved(G, b, s.bodies.contacts);
  expect(plain.done && other.done, "both are solved");
  for (std::size_t i = 0; i < m; ++i) near(other.y[i], units[i] * plain.y[i], 1e-12 * units[i], "y in other units");
}

CASE(cone_says_if_there_is_no_solution) {
  const Solved stuck = solved({0.0}, {-1.0}, {{0, 1, 0.0}});
  expect(!stuck.done && stuck.residual > 0.5, "a wall that cannot give way");
  // Painlevé: G_nn - m G_nt < 0 without an impulse that ends the approach while sliding; sticking has one.
  const Solved rod = solved({1.0, 0.9, 0.9, 1.0}, {-1.0, 1.0}, {{0, 2, 3.0}});
  expect(rod.done, "a rod that jams");
  near(coulomb({{0, 2, 3.0}}, rod.r, rod.y), 0.0, 1e-12, "law of the rod");
}

// At rest b is round-off: with the floor it is zero.
CASE(cone_at_rest_ends_by_its_floor) {
  const Stack s = stack(std::vector<double>(3, 1.0), 0.5, 0.0, 0.5);
  ConeProblem problem;
  const int rows = static_cast<int>(s.b.size());
  problem.resize(rows, 12);
  problem.set_floor(1.0);
  std::vector<double> b = random_matrix(1, rows, 5)[0], r(rows, 0.0), y(rows);
  for (double& x : b) x *= 1e-16;
  expect(problem.solve(s.G.data(), b.data(), s.bodies.contacts.data(), 12, r.data(), y.data()), "it is solved");
  for (const double x : y) near(x, 0.0, 2e-12, "velocity");
}
