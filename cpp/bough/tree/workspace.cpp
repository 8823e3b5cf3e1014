#include "bough/tree/workspace.hpp"

#include <deque>

namespace bough {
namespace {

thread_local std::deque<Workspace> scratch(1);  // one per level; a deque keeps references valid as it grows
thread_local std::size_t level = 0;

}  // namespace

Workspace& workspace(const Model& model) {
  scratch[level].fit(model);
  return scratch[level];
}

WorkspaceScope::WorkspaceScope() {
  if (scratch.size() == level + 1) scratch.emplace_back();
  ++level;
}

WorkspaceScope::~WorkspaceScope() { --level; }

}  // namespace bough
