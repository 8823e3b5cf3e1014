// Bracket: roots by parabolas.
#include "bough/solvers/bracket.hpp"

#include "tests/cases.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

// Of f = (x - 0.3) (x - 2) / 0.6 the parabola is f itself, wherever c is.
CASE(bracket_of_a_parabola) {
  const auto f = [](double x) { return (x - 0.3) * (x - 2.0) / 0.6; };
  for (const double c : {-1.0, 0.2, 0.9, 5.0})
    near(root_of_parabola({0.0, f(0.0)}, {1.0, f(1.0)}, {c, f(c)}), 0.3, 1e-14, "root");
  near(root_of_parabola({0.0, 1.0}, {1.0, -3.0}, {0.0, 1.0}), 0.25, 1e-16, "without a third place: of the line");
}

// What leaves and returns, x - x^2 / 2r, is open from 0 on, and its root is the second one.
CASE(bracket_of_a_flight) {
  for (const double r : {1e-4, 0.1, 0.4}) {
    const auto f = [r](double x) { return x - x * x / (2.0 * r); };
    const double a = 0.1 * r;
    near(root_of_parabola({a, f(a)}, {1.0, f(1.0)}, {0.0, 0.0}) / (2.0 * r), 1.0, 1e-14 / (r * r), "end of the flight");
  }
}

template <class F>
int places_until_found(const F& f, double end, double root) {
  Bracket<double> bracket;
  bracket.start(f(0.0), end, f(end));
  for (int places = 1; places <= 200; ++places) {
    const auto &a = bracket.a, &b = bracket.b, &c = bracket.c;
    const double x = bracket.inside(root_of_parabola({a.x, a.f}, {b.x, b.f}, {c.x, c.f}));
    expect(x > a.x && x < b.x, "a place is inside");
    if (std::abs(x - root) <= 1e-15 * end) return places;
    bracket.take(f(x) > 0.0, x, f(x), std::abs(f(x)));
    expect(bracket.a.f > 0.0 && bracket.b.f <= 0.0, "the root stays inside");
  }
  return 201;
}

// Smooth functions take few places, also where the root is at a small part of the bracket.
CASE(bracket_converges) {
  expect(places_until_found([](double x) { return std::cos(x); }, 2.5, std::acos(0.0)) <= 7, "smooth");
  const auto small = [](double x) { return std::exp(-30.0 * x) - std::exp(-30.0e-3); };
  expect(places_until_found(small, 1.0, 1e-3) <= 16, "at a small part");
}

// At a jump, whatever its sides, at least every other place takes half of the bracket.
CASE(bracket_of_a_jump) {
  const double sides[][2] = {{1.0, 1.0}, {1e-3, 1.0}, {1e-6, 1e-2}, {1e-2, 1e-6}};
  for (const auto& [before, after] : sides)
    for (const double root : {0.7, 0.012}) {
      const auto f = [&](double x) { return x < root ? before * (1.0 + x) : -after * (1.0 + x); };
      expect(places_until_found(f, 1.0, root) <= 104, "a jump");
    }
}

}  // namespace
