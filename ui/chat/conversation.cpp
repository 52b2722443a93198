#include "ui/chat/conversation.hpp"

#include <QCoreApplication>

#include "ui/format/numbers.hpp"

namespace orthros::ui {
namespace {

// Documents first, then the question, a blank line after each document.
session::Turn userTurn(const std::vector<DocumentPtr>& documents, const QString& question) {
  session::Turn turn{"user", {}};
  for (const DocumentPtr& document : documents) {
    const size_t end = document->utf8.find_last_not_of(" \t\n\f");
    turn.text.append(document->utf8, 0, end == std::string::npos ? 0 : end + 1);
    turn.text += "\n\n";
  }
  turn.text += question.toStdString();
  return turn;
}

}  // namespace

session::AskRequest requestOf(const std::vector<Exchange>& exchanges, const QString& question,
                              const std::vector<DocumentPtr>& documents) {
  session::AskRequest request;
  for (const Exchange& exchange : exchanges) {
    if (exchange.main.text.isEmpty()) continue;
    request.turns.push_back(userTurn(exchange.documents, exchange.question));
    request.turns.push_back({"assistant", exchange.main.text.toStdString()});
  }
  request.turns.push_back(userTurn(documents, question));
  return request;
}

QString documentsTitle(const std::vector<DocumentPtr>& documents) {
  if (documents.empty()) return {};
  if (documents.size() == 1) return documents.front()->name;
  return QCoreApplication::translate("conversation", "%1 documents").arg(countText(documents.size()));
}

}  // namespace orthros::ui
