// Work on all steps of a motion that do not depend on each other, on several threads with a worker each.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace bough {

// work(worker, k) for steps from ... to - 1; what the first step that fails returns, else Ended{}. Ended::step is negative
// if a step did not fail.
template <class Ended, class Worker, class Work>
Ended for_all_steps(std::vector<std::unique_ptr<Worker>>& workers, int from, int to, Work work) {
  std::atomic<int> next{from};
  std::vector<Ended> ends(workers.size());
  const auto run = [&](std::size_t i) {
    for (int k = next++; k < to && ends[i].step < 0; k = next++) ends[i] = work(*workers[i], k);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < workers.size(); ++i) others.emplace_back(run, i);
  run(0);
  for (std::thread& thread : others) thread.join();
  Ended first;
  for (const Ended& end : ends)
    if (end.step >= 0 && (first.step < 0 || end.step < first.step)) first = end;
  return first;
}

}  // namespace bough
