// The attached document beside the chat.
#pragma once

#include <QFrame>

#include "ui/engine_client/document_reader.hpp"

class QLabel;

namespace orthros::ui {

class DocumentText;
class FindBar;

class DocumentPane : public QFrame {
  Q_OBJECT

 public:
  explicit DocumentPane(QWidget* parent = nullptr);

  void open(const DocumentPtr& document);  // null: nothing is open
  void setDetail(const QString& detail);   // "3,012 tokens"
  const DocumentPtr& document() const { return document_; }
  DocumentText* text() const { return text_; }
  FindBar* findBar() const { return find_; }

 public slots:
  void find();

 signals:
  void closeRequested();

 private:
  DocumentPtr document_;
  QLabel* name_;
  QLabel* detail_;
  DocumentText* text_;
  FindBar* find_;
};

}  // namespace orthros::ui
