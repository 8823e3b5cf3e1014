// Ground by heights over a grid: two triangles over each cell, on both sides of the diagonal from its corner of least x and y to
// that of greatest. All that lies below is solid; beyond the borders there is nothing.
//
// Triangles in one plane that hang together are one region: ground that is flat has no seams. Edges are known by whether they
// are convex, so that something can lie on them. With n_l, n_r the normals of the triangles left and right of an edge from y
// along u, and t_l, t_r the directions in them away from it,
//
//   t_l = n_l × u ,  t_r = u × n_r ;   d is normal to the surface at the edge if  d·u = 0 , d·t_l <= 0 , d·t_r <= 0      (GE18)
//
// At a border the missing triangle is a wall downwards.
#pragma once

#include <vector>

#include "bough/spatial/vec3.hpp"

namespace bough {

class Heightfield {
 public:
  struct Region {
    Vec3 normal;
    double offset;  // normal·x on it
  };
  struct Edge {
    Vec3 from, to, u;  // u along it
    Vec3 out;          // the mean of both normals
    Vec3 t[2];         // t_l, t_r of (GE18)
    double length;
    bool normal(const Vec3& d) const;  // (GE18) of what is across it
  };
  // Where a point is over a triangle: its height over the plane, and the least of the three coordinates of its foot, which are
  // above zero inside.
  struct Over {
    double height, inside;
  };
  struct Window {
    int low[2], high[2];  // cells
  };

  // Increasing x and y, z at (i, j) in z[i * y.size() + j].
  Heightfield(std::vector<double> x, std::vector<double> y, std::vector<double> z);

  int vertices() const { return nx_ * ny_; }
  int regions() const { return static_cast<int>(regions_.size()); }
  int edges() const { return 3 * vertices(); }
  Vec3 vertex(int v) const { return {x_[v / ny_], y_[v % ny_], z_[v]}; }
  const Region& region(int r) const { return regions_[r]; }
  int region_of(int triangle) const { return region_[triangle]; }
  // Of a triangle, against the clock seen from above.
  void corners(int triangle, int* v) const;
  // Over which (x, y) is, or -1 beyond the borders.
  int triangle_at(double x, double y) const;
  // The height of x over the surface below or above it, measured along z; not beyond the borders.
  double above(const Vec3& x, int triangle) const;

  Over over(int triangle, const Vec3& x) const;

  // Edge 3 v + k begins at vertex v and goes along x, along y or along the diagonal.
  bool convex(int edge) const { return convex_[edge] != 0; }
  bool has_edge(int edge) const;
  Edge edge(int edge) const;
  int edge_between(int v, int w) const;
  // Whether convex edges end or turn at a vertex.
  bool raised(int v) const { return raised_[v] != 0; }
  int neighbours(int v, int* out) const;  // at most 6 vertices
  int around(int v, int* out) const;      // at most 6 triangles
  bool normal_at(int v, const Vec3& d) const;

  // Cells over which a rectangle is; empty (low > high) if it is beyond the borders.
  Window window(const Vec3& low, const Vec3& high) const;
  int cell(int i, int j) const { return i * (ny_ - 1) + j; }
  int vertex_at(int i, int j) const { return i * ny_ + j; }
  double reach() const { return reach_; }

  // Calls f(triangle) for those of cells that are within limit() of x, which may fall on the way.
  template <class Limit, class F>
  void each_near(const Vec3& x, Limit limit, F f) const {
    visit(static_cast<int>(levels_.size()) - 1, 0, 0, x, limit, f);
  }

 private:
  struct Level {  // blocks of 2^k cells each way
    int nx, ny;
    std::vector<double> low, high;
  };

  template <class Limit, class F>
  void visit(int level, int i, int j, const Vec3& x, Limit& limit, F& f) const {
    const double far = distance_of_block(level, i, j, x);
    if (!(far <= limit())) return;
    if (level == 0) {
      for (const int s : {0, 1}) f(2 * cell(i, j) + s);
      return;
    }
    const Level& finer = levels_[level - 1];
    for (const int di : {0, 1})
      for (const int dj : {0, 1})
        if (2 * i + di < finer.nx && 2 * j + dj < finer.ny) visit(level - 1, 2 * i + di, 2 * j + dj, x, limit, f);
  }
  double distance_of_block(int level, int i, int j, const Vec3& x) const;
  Vec3 area(int triangle) const;
  void set_levels();
  void set_regions();
  void set_edges();
  int left_of(int edge) const;
  int right_of(int edge) const;

  int nx_, ny_;
  std::vector<double> x_, y_, z_;
  double reach_ = 0.0;
  std::vector<Region> regions_;
  std::vector<int> region_;  // of triangles
  std::vector<char> convex_, raised_;
  std::vector<Level> levels_;  // the last has one block
};

}  // namespace bough
