// bough_tests: without arguments, prints the names of its cases; with names, runs these, prints what failed and returns how
// many did. With --narrow-phase, a filter: narrow_phase_filter.cpp.
#include <exception>
#include <iostream>
#include <string>

#include "tests/cases.hpp"

namespace bough::tests {
int narrow_phase_filter();
}

int main(int count, char** arguments) {
  using bough::tests::cases;
  if (count == 2 && std::string(arguments[1]) == "--narrow-phase") return bough::tests::narrow_phase_filter();
  if (count == 1)
    for (const auto& one : cases()) std::cout << one.name << "\n";
  int failed = 0;
  for (int i = 1; i < count; ++i) {
    bool known = false;
    for (const auto& one : cases()) {
      if (one.name != arguments[i]) continue;
      known = true;
      try {
        one.run();
      } catch (const std::exception& error) {
        std::cout << one.name << ": " << error.what() << "\n";
        ++failed;
      }
    }
    if (known) continue;
    std::cout << arguments[i] << ": there is no such case\n";
    ++failed;
  }
  return failed;
}
