// A conversation as plain values: what was asked, what was attached, what was answered.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "engine/session/service.hpp"
#include "ui/engine_client/document_reader.hpp"
#include "ui/engine_client/mailbox.hpp"

namespace orthros::ui {

// Which set-up answers: the one in use, or full attention on the same question.
enum class Side { main, vanilla };

struct Answer {
  QString text;
  RunRecordPtr record;         // once it ended
  std::optional<Error> error;  // where it ended in one
  bool ended() const { return record || error; }
};

struct Exchange {
  QString question;
  std::vector<DocumentPtr> documents;  // attached with this question
  Answer main, vanilla;
  Answer& answer(Side side) { return side == Side::main ? main : vanilla; }
  const Answer& answer(Side side) const { return side == Side::main ? main : vanilla; }
};

struct Attachment {
  DocumentPtr document;
  std::optional<uint64_t> tokens;  // that it adds to the prompt; counted by the engine
};

// The request for `question` after `exchanges`. Every document stands in the turn that it came with, word for
// word the same each time, so that the beginning of the prompt stays what the cache holds.
session::AskRequest requestOf(const std::vector<Exchange>& exchanges, const QString& question,
                              const std::vector<DocumentPtr>& documents);

// One file name, or "3 documents".
QString documentsTitle(const std::vector<DocumentPtr>& documents);

}  // namespace orthros::ui
