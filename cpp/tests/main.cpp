// bough_tests: without arguments, prints the names of its cases; with names, runs these, prints what failed and returns how
// many did.
#include <exception>
#include <iostream>

#include "tests/cases.hpp"

int main(int count, char** arguments) {
  using bough::tests::cases;
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
