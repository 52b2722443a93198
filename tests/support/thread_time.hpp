// The processor time of the calling thread. A limit on it holds on a busy machine too, where wall time tells
// how long others kept the processor.
#pragma once

#include <ctime>

namespace orthros::test {

// Sanitizers and unoptimised code make everything slower by about this factor; limits on time are multiplied
// by it.
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
inline constexpr double slowBuild = 10;
#else
inline constexpr double slowBuild = 1;
#endif

class ThreadTime {
 public:
  ThreadTime() : begin_(now()) {}
  double ms() const { return now() - begin_; }
  double restart() {
    const double passed = ms();
    begin_ += passed;
    return passed;
  }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  }

  double begin_;
};

}  // namespace orthros::test
