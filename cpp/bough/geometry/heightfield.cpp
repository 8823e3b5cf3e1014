#include "bough/geometry/heightfield.hpp"

#include <algorithm>

namespace bough {
namespace {

constexpr double flat = 1e-12;  // of the size of the ground: how far off its plane a point of a region may be
constexpr double slack = 1e-9;  // cosine of an angle between a normal and what it is normal to

// The index of the cell that holds a value; one beyond the ends is in none.
int cell_of(const std::vector<double>& grid, double value) {
  if (!(value >= grid.front() && value <= grid.back())) return -1;
  const auto after = std::upper_bound(grid.begin(), grid.end(), value);
  return std::min(static_cast<int>(after - grid.begin()), static_cast<int>(grid.size()) - 1) - 1;
}

}  // namespace

Heightfield::Heightfield(std::vector<double> x, std::vector<double> y, std::vector<double> z)
    : nx_(static_cast<int>(x.size())),
      ny_(static_cast<int>(y.size())),
      x_(std::move(x)),
      y_(std::move(y)),
      z_(std::move(z)) {
  for (int v = 0; v < vertices(); ++v) reach_ = std::max(reach_, norm(vertex(v)));
  set_levels();
  set_regions();
  set_edges();
}

void Heightfield::corners(int triangle, int* v) const {
  const int cell = triangle / 2, i = cell / (ny_ - 1), j = cell % (ny_ - 1);
  v[0] = vertex_at(i, j);
  v[1] = triangle % 2 == 0 ? vertex_at(i + 1, j) : vertex_at(i + 1, j + 1);
  v[2] = triangle % 2 == 0 ? vertex_at(i + 1, j + 1) : vertex_at(i, j + 1);
}

Vec3 Heightfield::area(int triangle) const {
  int v[3];
  corners(triangle, v);
  return cross(vertex(v[1]) - vertex(v[0]), vertex(v[2]) - vertex(v[0]));
}

int Heightfield::triangle_at(double x, double y) const {
  const int i = cell_of(x_, x), j = cell_of(y_, y);
  if (i < 0 || j < 0) return -1;
  const double right = (x - x_[i]) / (x_[i + 1] - x_[i]), up = (y - y_[j]) / (y_[j + 1] - y_[j]);
  return 2 * cell(i, j) + (up > right ? 1 : 0);
}

double Heightfield::above(const Vec3& x, int triangle) const {
  const Region& r = regions_[region_[triangle]];
  return (dot(r.normal, x) - r.offset) / r.normal[2];
}

Heightfield::Over Heightfield::over(int triangle, const Vec3& x) const {
  const Region& r = regions_[region_[triangle]];
  const double height = dot(r.normal, x) - r.offset;
  const Vec3 y = x - height * r.normal;
  int v[3];
  corners(triangle, v);
  const Vec3 p[3] = {vertex(v[0]), vertex(v[1]), vertex(v[2])};
  const double whole = dot(cross(p[1] - p[0], p[2] - p[0]), r.normal);
  double inside = HUGE_VAL;
  for (int k = 0; k < 3; ++k) inside = std::min(inside, dot(cross(p[(k + 1) % 3] - p[k], y - p[k]), r.normal) / whole);
  return {height, inside};
}

bool Heightfield::Edge::normal(const Vec3& d) const {
  return dot(d, t[0]) <= slack * norm(d) && dot(d, t[1]) <= slack * norm(d);
}

bool Heightfield::normal_at(int v, const Vec3& d) const {
  int next[6];
  const int count = neighbours(v, next);
  for (int k = 0; k < count; ++k) {
    const Vec3 along = vertex(next[k]) - vertex(v);
    if (dot(d, along) > slack * norm(d) * norm(along)) return false;
  }
  return true;
}

Heightfield::Window Heightfield::window(const Vec3& low, const Vec3& high) const {
  Window out{};
  const std::vector<double>* grids[2] = {&x_, &y_};
  for (int k = 0; k < 2; ++k) {
    const std::vector<double>& grid = *grids[k];
    out.low[k] = 0;
    out.high[k] = -1;
    if (high[k] < grid.front() || low[k] > grid.back()) continue;
    out.low[k] = low[k] <= grid.front() ? 0 : cell_of(grid, low[k]);
    out.high[k] = high[k] >= grid.back() ? static_cast<int>(grid.size()) - 2 : cell_of(grid, high[k]);
  }
  return out;
}

// Least and greatest heights of cells, then of blocks of four.
void Heightfield::set_levels() {
  Level cells{nx_ - 1, ny_ - 1, {}, {}};
  for (int i = 0; i < cells.nx; ++i)
    for (int j = 0; j < cells.ny; ++j) {
      const double z[4] = {z_[vertex_at(i, j)], z_[vertex_at(i + 1, j)], z_[vertex_at(i, j + 1)],
                           z_[vertex_at(i + 1, j + 1)]};
      cells.low.push_back(*std::min_element(z, z + 4));
      cells.high.push_back(*std::max_element(z, z + 4));
    }
  levels_.push_back(std::move(cells));
  while (levels_.back().nx > 1 || levels_.back().ny > 1) {
    const Level& finer = levels_.back();
    Level level{(finer.nx + 1) / 2, (finer.ny + 1) / 2, {}, {}};
    level.low.assign(static_cast<std::size_t>(level.nx) * level.ny, HUGE_VAL);
    level.high.assign(static_cast<std::size_t>(level.nx) * level.ny, -HUGE_VAL);
    for (int i = 0; i < finer.nx; ++i)
      for (int j = 0; j < finer.ny; ++j) {
        const int block = i / 2 * level.ny + j / 2;
        level.low[block] = std::min(level.low[block], finer.low[i * finer.ny + j]);
        level.high[block] = std::max(level.high[block], finer.high[i * finer.ny + j]);
      }
    levels_.push_back(std::move(level));
  }
}

double Heightfield::distance_of_block(int level, int i, int j, const Vec3& x) const {
  const Level& blocks = levels_[level];
  const int at = i * blocks.ny + j, cells = 1 << level;
  const auto beyond = [](double value, double low, double high) { return std::max({low - value, value - high, 0.0}); };
  const double dx = beyond(x[0], x_[i * cells], x_[std::min((i + 1) * cells, nx_ - 1)]);
  const double dy = beyond(x[1], y_[j * cells], y_[std::min((j + 1) * cells, ny_ - 1)]);
  const double dz = beyond(x[2], blocks.low[at], blocks.high[at]);
  return std::sqrt(dx * dx + dy * dy + dz * dz);
}

// Triangles that hang together and whose corners are all in the plane of the first one.
void Heightfield::set_regions() {
  const int triangles = 2 * (nx_ - 1) * (ny_ - 1);
  region_.assign(triangles, -1);
  std::vector<int> waiting;
  for (int first = 0; first < triangles; ++first) {
    if (region_[first] >= 0) continue;
    int v[3];
    corners(first, v);
    const Vec3 a = area(first), normal = a / norm(a);
    const double offset = dot(normal, vertex(v[0]));
    const int number = regions();
    regions_.push_back({normal, offset});
    waiting.assign(1, first);
    region_[first] = number;
    while (!waiting.empty()) {
      const int at = waiting.back(), cell = at / 2, i = cell / (ny_ - 1), j = cell % (ny_ - 1);
      waiting.pop_back();
      // across the diagonal, and across the two sides of the cell
      const bool lower = at % 2 == 0;
      const int next[3] = {
          lower ? at + 1 : at - 1,
          lower ? (j > 0 ? 2 * this->cell(i, j - 1) + 1 : -1) : (j < ny_ - 2 ? 2 * this->cell(i, j + 1) : -1),
          lower ? (i < nx_ - 2 ? 2 * this->cell(i + 1, j) + 1 : -1) : (i > 0 ? 2 * this->cell(i - 1, j) : -1)};
      for (const int other : next) {
        if (other < 0 || region_[other] >= 0) continue;
        corners(other, v);
        bool inside = true;
        for (const int k : v) inside &= std::abs(dot(normal, vertex(k)) - offset) <= flat * reach_;
        if (!inside) continue;
        region_[other] = number;
        waiting.push_back(other);
      }
    }
  }
}

bool Heightfield::has_edge(int edge) const {
  const int v = edge / 3, k = edge % 3, i = v / ny_, j = v % ny_;
  return (k == 1 || i < nx_ - 1) && (k == 0 || j < ny_ - 1);
}

int Heightfield::left_of(int edge) const {
  const int v = edge / 3, k = edge % 3, i = v / ny_, j = v % ny_;
  if (k == 2) return 2 * cell(i, j) + 1;
  if (k == 0) return j < ny_ - 1 ? 2 * cell(i, j) : -1;
  return i > 0 ? 2 * cell(i - 1, j) : -1;
}

int Heightfield::right_of(int edge) const {
  const int v = edge / 3, k = edge % 3, i = v / ny_, j = v % ny_;
  if (k == 2) return 2 * cell(i, j);
  if (k == 0) return j > 0 ? 2 * cell(i, j - 1) + 1 : -1;
  return i < nx_ - 1 ? 2 * cell(i, j) + 1 : -1;
}

Heightfield::Edge Heightfield::edge(int edge) const {
  const int v = edge / 3, k = edge % 3, w = v + (k == 1 ? 1 : k == 0 ? ny_ : ny_ + 1);
  Edge out{vertex(v), vertex(w), Vec3::zero(), Vec3::zero(), {Vec3::zero(), Vec3::zero()}, 0.0};
  const Vec3 along = out.to - out.from;
  out.length = norm(along);
  out.u = along / out.length;
  const int sides[2] = {left_of(edge), right_of(edge)};
  const Vec3 z(0, 0, 1);
  for (int s = 0; s < 2; ++s) {
    const double sign = s == 0 ? 1.0 : -1.0;
    if (sides[s] >= 0) {
      const Vec3 n = regions_[region_[sides[s]]].normal;
      out.t[s] = sign * cross(n, out.u);
      out.out += 0.5 * n;
      continue;
    }
    const Vec3 down = out.u[2] * out.u - z, wall = cross(out.u, z);  // a wall: left of it nothing is left
    out.t[s] = down / norm(down);
    out.out += (-0.5 * sign / norm(wall)) * wall;
  }
  return out;
}

int Heightfield::edge_between(int v, int w) const {
  const int first = std::min(v, w), step = std::max(v, w) - first;
  return 3 * first + (step == 1 ? 1 : step == ny_ ? 0 : 2);
}

int Heightfield::neighbours(int v, int* out) const {
  const int i = v / ny_, j = v % ny_;
  const int steps[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
  int count = 0;
  for (const auto& s : steps)
    if (i + s[0] >= 0 && i + s[0] < nx_ && j + s[1] >= 0 && j + s[1] < ny_)
      out[count++] = vertex_at(i + s[0], j + s[1]);
  return count;
}

int Heightfield::around(int v, int* out) const {
  const int i = v / ny_, j = v % ny_;
  const bool left = i > 0, right = i < nx_ - 1, below = j > 0, over = j < ny_ - 1;
  int count = 0;
  if (right && over) out[count++] = 2 * cell(i, j);
  if (right && over) out[count++] = 2 * cell(i, j) + 1;
  if (left && over) out[count++] = 2 * cell(i - 1, j);
  if (right && below) out[count++] = 2 * cell(i, j - 1) + 1;
  if (left && below) out[count++] = 2 * cell(i - 1, j - 1);
  if (left && below) out[count++] = 2 * cell(i - 1, j - 1) + 1;
  return count;
}

void Heightfield::set_edges() {
  convex_.assign(edges(), 0);
  raised_.assign(vertices(), 0);
  for (int e = 0; e < edges(); ++e) {
    if (!has_edge(e)) continue;
    const int left = left_of(e), right = right_of(e);
    bool convex = left < 0 || right < 0;
    if (!convex && region_[left] != region_[right]) {
      const Region& plane = regions_[region_[left]];
      int v[3];
      corners(right, v);
      for (const int k : v) convex |= dot(plane.normal, vertex(k)) - plane.offset < -flat * reach_;
    }
    convex_[e] = convex;
  }
  for (int v = 0; v < vertices(); ++v) {  // where convex edges meet, but for one that goes straight on
    int next[6], count = 0;
    Vec3 along[6];
    for (int k = 0, all = neighbours(v, next); k < all; ++k)
      if (convex_[edge_between(v, next[k])]) along[count++] = vertex(next[k]) - vertex(v);
    const bool straight = count == 2 && dot(along[0], along[1]) < 0.0 &&
                          norm(cross(along[0], along[1])) <= flat * norm(along[0]) * norm(along[1]);
    raised_[v] = count > 0 && !straight;
  }
}

}  // namespace bough
