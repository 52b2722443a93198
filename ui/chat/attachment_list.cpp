#include "ui/chat/attachment_list.hpp"

#include <algorithm>
#include <utility>

namespace orthros::ui {
namespace {

session::AskRequest questionAbout(const std::vector<DocumentPtr>& documents) {
  return requestOf({}, QStringLiteral("?"), documents);
}

}  // namespace

AttachmentList::AttachmentList(EngineClient& engine, ModelSlots& models, QObject* parent)
    : QObject(parent), engine_(engine), models_(models) {
  connect(&engine_, &EngineClient::estimated, this,
          [this](RequestId request, const session::AskEstimate& estimate) {
            onEstimated(request, estimate.promptTokens);
          });
  connect(&engine_, &EngineClient::failed, this, [this](RequestId request) {
    if (request == emptyRequest_) emptyRequest_ = 0;
    std::erase_if(pending_, [&](const Pending& pending) { return pending.request == request; });
  });
  connect(&models_, &ModelSlots::changed, this, [this](session::Service::Slot slot) {
    if (slot != session::Service::mainSlot) return;
    forgetCounts();
    count();
  });
}

std::vector<DocumentPtr> AttachmentList::documents() const {
  std::vector<DocumentPtr> documents;
  for (const Attachment& item : items_) documents.push_back(item.document);
  return documents;
}

void AttachmentList::add(const DocumentPtr& document) {
  const auto same = std::find_if(items_.begin(), items_.end(), [&](const Attachment& item) {
    return item.document->path == document->path;
  });
  if (same != items_.end())
    *same = {document, {}};
  else
    items_.push_back({document, {}});
  emit changed();
  count();
}

void AttachmentList::remove(size_t index) {
  if (index >= items_.size()) return;
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(index));
  emit changed();
}

std::vector<Attachment> AttachmentList::takeAll() {
  auto items = std::exchange(items_, {});
  emit changed();
  return items;
}

void AttachmentList::putBack(std::vector<Attachment> items) {
  items_.insert(items_.begin(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  emit changed();
}

void AttachmentList::count() {
  using Slot = session::Service::Slot;
  if (models_.state(Slot::mainSlot) != ModelSlots::State::ready) return;
  for (const Attachment& item : items_) {
    const bool asked = std::any_of(pending_.begin(), pending_.end(),
                                   [&](const Pending& pending) { return pending.document == item.document; });
    if (item.tokens || asked) continue;
    if (!emptyPromptTokens_ && emptyRequest_ == 0)
      emptyRequest_ = engine_.estimate(Slot::mainSlot, questionAbout({}));
    pending_.push_back({engine_.estimate(Slot::mainSlot, questionAbout({item.document})), item.document});
  }
}

void AttachmentList::onEstimated(RequestId request, uint64_t promptTokens) {
  if (request == emptyRequest_) {
    emptyPromptTokens_ = promptTokens;
    emptyRequest_ = 0;
    return;
  }
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [&](const Pending& pending) { return pending.request == request; });
  if (found == pending_.end()) return;
  for (Attachment& item : items_)
    if (item.document == found->document && emptyPromptTokens_ && promptTokens >= *emptyPromptTokens_)
      item.tokens = promptTokens - *emptyPromptTokens_;
  pending_.erase(found);
  emit changed();
}

void AttachmentList::forgetCounts() {
  emptyPromptTokens_.reset();
  emptyRequest_ = 0;
  pending_.clear();
  for (Attachment& item : items_) item.tokens.reset();
  emit changed();
}

}  // namespace orthros::ui
