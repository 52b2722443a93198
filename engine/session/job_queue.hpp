// One thread that runs jobs in order of arrival.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/base/cancel.hpp"

namespace orthros::session {

class JobQueue {
 public:
  using Job = std::function<void(const CancelToken&)>;

  // `atEnd` runs on the thread after the last job.
  explicit JobQueue(std::function<void()> atEnd);
  // Cancels everything and waits for the thread. Waiting jobs run with their token cancelled.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // Any thread. Jobs must not throw.
  void add(Job job);
  // Cancels the job that runs and those that wait.
  void cancelAll();

 private:
  struct Entry {
    Job job;
    CancelToken cancel;
  };
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> waiting_;
  CancelToken running_;
  bool ending_ = false;
  std::function<void()> atEnd_;
  std::thread thread_;
};

}  // namespace orthros::session
