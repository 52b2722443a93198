#include <future>
#include <vector>

#include <gtest/gtest.h>

#include "engine/session/job_queue.hpp"

namespace orthros::session {
namespace {

TEST(JobQueue, RunsJobsInOrderOnOneThread) {
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  {
    std::promise<void> last;
    JobQueue queue([&] { order.push_back(-1); });
    for (int i = 0; i < 50; ++i) {
      queue.add([&, i](const CancelToken&) {
        order.push_back(i);
        threads.push_back(std::this_thread::get_id());
        if (i == 49) last.set_value();
      });
    }
    last.get_future().wait();
  }
  ASSERT_EQ(order.size(), 51u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  EXPECT_EQ(order.back(), -1) << "the end comes after the last job";
  for (const auto& thread : threads) EXPECT_EQ(thread, threads.front());
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST(JobQueue, CancelReachesTheRunningAndTheWaitingButNotLaterOnes) {
  std::promise<void> running;
  std::promise<bool> later;
  int cancelled = 0;
  JobQueue queue([] {});
  queue.add([&](const CancelToken& cancel) {
    running.set_value();
    while (!cancel.cancelled()) std::this_thread::yield();
    ++cancelled;
  });
  queue.add([&](const CancelToken& cancel) { cancelled += cancel.cancelled(); });
  running.get_future().wait();
  queue.cancelAll();
  queue.add([&](const CancelToken& cancel) { later.set_value(cancel.cancelled()); });
  EXPECT_FALSE(later.get_future().get());
  EXPECT_EQ(cancelled, 2);
}

TEST(JobQueue, TheDestructorCancelsAndStillRunsEveryJob) {
  int ran = 0, sawCancel = 0;
  std::promise<void> running;
  {
    JobQueue queue([] {});
    queue.add([&](const CancelToken& cancel) {
      running.set_value();
      while (!cancel.cancelled()) std::this_thread::yield();
      ++ran;
    });
    for (int i = 0; i < 5; ++i) {
      queue.add([&](const CancelToken& cancel) {
        ++ran;
        sawCancel += cancel.cancelled();
      });
    }
    running.get_future().wait();
  }
  EXPECT_EQ(ran, 6);
  EXPECT_EQ(sawCancel, 5);
}

}  // namespace
}  // namespace orthros::session
