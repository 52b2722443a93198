#include "engine/session/job_queue.hpp"

namespace orthros::session {

JobQueue::JobQueue(std::function<void()> atEnd) : atEnd_(std::move(atEnd)), thread_([this] { work(); }) {}

JobQueue::~JobQueue() {
  cancelAll();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void JobQueue::add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(job), {}});
  }
  changed_.notify_one();
}

void JobQueue::cancelAll() {
  const std::lock_guard lock(mutex_);
  running_.cancel();
  for (const Entry& entry : waiting_) entry.cancel.cancel();
}

void JobQueue::work() {
  for (;;) {
    Entry entry;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) break;
      entry = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = entry.cancel;
      if (ending_) running_.cancel();
    }
    entry.job(entry.cancel);
  }
  atEnd_();
}

}  // namespace orthros::session
