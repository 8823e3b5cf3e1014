// ImpactLaw: textbook impacts, energy and momentum, and many random ones.
#include "bough/integrators/impact_law.hpp"

#include "tests/cones.hpp"

using namespace bough;
using namespace bough::tests;

namespace {

struct Impact {
  bool done;
  std::vector<double> r, U_plus, v;
  ImpactLaw law;
};

Impact impact(const Bodies& bodies, const std::vector<double>& v, const std::vector<double>& restitution) {
  Impact hit;
  std::vector<ImpactContact> contacts;
  for (std::size_t i = 0; i < bodies.contacts.size(); ++i) contacts.push_back({bodies.contacts[i], restitution[i]});
  const int rows = static_cast<int>(bodies.J.size()), n = static_cast<int>(contacts.size());
  hit.law.resize(rows, n);
  hit.r.resize(rows);
  hit.U_plus.resize(rows);
  const std::vector<double> U = times(bodies.J, v), G = bodies.delassus();
  hit.done = hit.law.apply(G.data(), contacts.data(), n, U.data(), hit.r.data(), hit.U_plus.data());
  hit.v = bodies.after(v, hit.r);
  return hit;
}

// Balls in a row, of which the first `moving` come with one metre per second.
void cradle(int moving) {
  Bodies balls(true);
  for (int i = 0; i < 5; ++i) balls.add(1.0, {1, 1, 0.1}, {1.0 * i, 0, 0});
  for (int i = 1; i < 5; ++i) balls.touch(i, i - 1, {i - 0.5, 0, 0}, {1, 0, 0}, {0, 1, 0}, 0.3);
  std::vector<double> v(30, 0.0);
  for (int i = 0; i < moving; ++i) v[6 * i] = 1.0;
  const Impact hit = impact(balls, v, {1, 1, 1, 1});
  expect(hit.done && !hit.law.plastic() && hit.law.theta() == 1.0, "the cradle swings on");
  for (int i = 0; i < 5; ++i)
    near(hit.v[6 * i], i >= 5 - moving ? 1.0 : 0.0, 1e-12, std::to_string(moving) + " in, ball " + std::to_string(i));
}

struct Counts {
  int failed = 0, guarded = 0, plastic = 0;
};

Counts random_impacts(int count, unsigned first) {
  Counts counts;
  for (int i = 0; i < count; ++i) {
    Random random(first + i);
    const Bodies bodies = random_bodies(random);
    std::vector<double> v(bodies.J[0].size()), restitution(bodies.contacts.size());
    for (double& x : v) x = random();
    for (double& e : restitution) e = 0.5 * (1.0 + random());
    const Impact hit = impact(bodies, v, restitution);
    counts.failed += !hit.done;
    if (!hit.done) continue;
    counts.guarded += hit.law.theta() < 1.0;
    counts.plastic += hit.law.plastic();
    const double before = bodies.energy(v), after = bodies.energy(hit.v);
    const std::string what = " of impact " + std::to_string(first + i);
    expect(after <= (1.0 + 1e-12) * before, "no gain of energy" + what);
    double terms = before;  // bodies that jam between contacts take impulses far beyond their momenta
    const std::vector<double> G = bodies.delassus();
    for (std::size_t a = 0; a < hit.r.size(); ++a)
      for (std::size_t b = 0; b < hit.r.size(); ++b) terms += std::abs(hit.r[a] * G[a * hit.r.size() + b] * hit.r[b]);
    near(hit.law.energy_lost(), before - after, 1e-13 * terms, "energy lost" + what);
    for (const ConeRows& c : bodies.contacts) {
      // U²/G is below 2 T
      const double size = std::sqrt(2.0 * before * G[c.first * (hit.r.size() + 1)]);
      near(std::min(0.0, hit.U_plus[c.first]), 0.0, 1e-11 * size, "approach that is left" + what);
      double tangential = 0.0;
      for (int k = 1; k < c.rows; ++k) tangential += hit.r[c.first + k] * hit.r[c.first + k];
      expect(std::sqrt(tangential) <= c.friction * hit.r[c.first] + 1e-10 * (1.0 + hit.r[c.first]),
             "r in the cone" + what);
    }
  }
  return counts;
}

}  // namespace

CASE(impact_of_one_two_and_three_balls_of_five) {
  for (int moving = 1; moving <= 4; ++moving) cradle(moving);
}

CASE(impact_of_a_ball_bounces_and_begins_to_roll) {
  for (const double e : {0.0, 0.3, 0.8, 1.0}) {
    Bodies ball;
    ball.add(2.0, {0.8, 0.8, 0.8}, {0, 0, 1});  // 2/5 m r²
    ball.touch(0, -1, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}, 10.0);
    const Impact hit = impact(ball, {1, 0, -3, 0, 0, 0}, {e});
    expect(hit.done && hit.law.passes() == 1, "one pass");
    near(hit.v[2], 3.0 * e, 1e-14, "height");
    near(hit.v[0], 5.0 / 7.0, 1e-14, "rolling");
    near(hit.v[4], 5.0 / 7.0, 1e-14, "spin");
    near(hit.law.energy_lost(), 9.0 * (1.0 - e * e) + 2.0 / 7.0, 1e-13, "energy lost");
  }
}

// Four corners that land together take equal parts and do not turn the box.
CASE(impact_of_a_box_on_its_face_is_symmetric) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Bodies box;
    box.add(1.0, {0.1, 0.2, 0.3}, {0, 0, 0.2});
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.3, 0.3}) box.touch(0, -1, {x, y, 0}, {0, 0, 1}, {1, 0, 0}, 0.5);
    const Impact hit = impact(box, {0, 0, -1, 0, 0, 0}, {e, e, e, e});
    expect(hit.done, "it is solved");
    for (int i = 0; i < 4; ++i) near(hit.r[3 * i], 0.25 * (1.0 + e), 1e-13, "a corner");
    for (const int i : {0, 1, 3, 4, 5}) near(hit.v[i], 0.0, 1e-13, "what does not move");
    near(hit.v[2], e, 1e-13, "height");
  }
}

// (IL3) for e = 0: what is lost is the work of sliding and the square of the impulse, with any redundancy.
CASE(impact_without_restitution_loses_what_it_should) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(500000 + seed);
    const Bodies bodies = random_bodies(random);
    std::vector<double> v(bodies.J[0].size());
    for (double& x : v) x = random();
    const Impact hit = impact(bodies, v, std::vector<double>(bodies.contacts.size(), 0.0));
    expect(hit.done && hit.law.passes() <= 1, "one pass");
    double lost = 0.0;
    const std::vector<double> Gr = times_square(bodies.delassus(), hit.r);
    for (std::size_t i = 0; i < hit.r.size(); ++i) lost += 0.5 * hit.r[i] * Gr[i];
    for (const ConeRows& c : bodies.contacts)
      lost +=
          c.friction * hit.r[c.first] * std::hypot(hit.U_plus[c.first + 1], c.rows > 2 ? hit.U_plus[c.first + 2] : 0.0);
    near(bodies.energy(v) - bodies.energy(hit.v), lost, 1e-10 * bodies.energy(v), "seed " + std::to_string(seed));
  }
}

// A rod that Newton's law with friction would speed up: the guard keeps its energy exactly.
CASE(impact_that_would_gain_energy_keeps_it) {
  int guarded = 0;
  for (unsigned seed = 0; seed < 3000 && guarded < 20; ++seed) {
    Random random(seed);
    Bodies rod(true);
    rod.add(1.0, {1, 1, 0.05 + 0.05 * (1.0 + random())});
    rod.touch(0, -1, {random(), -1.0, 0}, {0, 1, 0}, {1, 0, 0}, 1.5);
    const std::vector<double> v = {random(), random(), 0, 0, 0, 2.0 * random()};
    const Impact hit = impact(rod, v, {0.9});
    expect(hit.done, "it is solved");
    if (hit.law.theta() == 1.0) continue;
    ++guarded;
    near(rod.energy(hit.v), rod.energy(v), 1e-12 * rod.energy(v), "energy");
    expect(hit.U_plus[0] >= 0.0, "it leaves");
  }
  expect(guarded == 20, "there are such rods");
}

// A rod on rough ground at an angle where forces have no solution: the impulse has, and takes energy.
CASE(impact_of_a_rod_of_painleve) {
  Bodies rod(true);
  const double c = 1.0 / std::sqrt(5.0), s = 2.0 * c;
  rod.add(1.0, {1, 1, 1.0 / 3.0}, {c, s, 0});
  rod.touch(0, -1, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}, 2.0);
  const std::vector<double> v = {3, 0, 0, 0, 0, 0};
  const Impact hit = impact(rod, {3, -1e-9, 0, 0, 0, 0}, {0.0});
  expect(hit.done, "it is solved");
  expect(rod.energy(hit.v) < rod.energy(v), "energy falls");
}

CASE(impact_at_random_never_gains_energy) {
  const Counts counts = random_impacts(2000, 1);
  expect(counts.failed == 0, "all are solved");
  expect(counts.guarded > 20, "some need the guard");
}

CASE(verify_impacts_at_random) {
  const Counts counts = random_impacts(100000, 10001);
  expect(counts.failed < 10, std::to_string(counts.failed) + " of 100000 fail");
}
