// Rows on a Vulkan device: a forward pass with the cache of one conversation.
#pragma once

#include <memory>

#include "engine/model/forward.hpp"
#include "engine/model/kv_cache.hpp"
#include "engine/session/row_runner.hpp"

namespace orthros::session {

class DeviceRows final : public RowRunner {
 public:
  // With `tracing`, reports carry device times per operation.
  ~DeviceRows() override;
  static Result<std::unique_ptr<DeviceRows>> create(const std::shared_ptr<model::DeviceModel>& model,
                                                    const phase::PhasePlan& plan, uint32_t contextTokens,
                                                    bool tracing);

  uint32_t capacityTokens() const override { return cache_->limit(); }
  uint32_t length() const override { return cache_->length(); }
  uint32_t vocabulary() const override { return model_->spec().vocabulary; }
  uint32_t maxBatchRows() const override { return forward_->maxBatchRows(); }
  uint64_t cacheBytes() const override { return cache_->allocatedBytes(); }
  Status reserve(uint32_t rows) override { return cache_->reserve(rows); }
  void truncate(uint32_t length) override { cache_->truncate(length); }
  Result<RowReport> run(const RowBatch& batch, std::span<float> logits, const CancelToken& cancel) override;
  Result<std::vector<RowReport>> generate(text::TokenId token, std::span<text::TokenId> chosen,
                                          const CancelToken& cancel) override;
  uint32_t maxGeneratedRows() const override { return model::Forward::maxGeneratedRows; }
  Result<RowReport> choose(std::span<const text::TokenId> tokens, std::vector<text::TokenId>& chosen,
                           const CancelToken& cancel) override;
  uint32_t maxChosenRows() const override { return model::Forward::maxChosenRows; }
  Status settle() override;
  Result<std::unique_ptr<RowRunner>> branch() const override;

  model::KvCache& cache() { return *cache_; }
  uint64_t workspaceBytes() const { return forward_->workspaceBytes(); }

 private:
  DeviceRows(std::shared_ptr<model::DeviceModel> model, std::shared_ptr<model::Forward> forward,
             std::unique_ptr<model::KvCache> cache, bool tracing);

  std::shared_ptr<model::DeviceModel> model_;
  std::shared_ptr<model::Forward> forward_;  // shared with branches: one workspace for all
  std::unique_ptr<model::KvCache> cache_;
  bool tracing_;
};

}  // namespace orthros::session
