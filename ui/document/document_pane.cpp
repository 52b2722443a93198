#include "ui/document/document_pane.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/document/document_text.hpp"
#include "ui/document/find_bar.hpp"
#include "ui/widgets/elided_label.hpp"
#include "ui/widgets/labels.hpp"

namespace orthros::ui {

DocumentPane::DocumentPane(QWidget* parent) : QFrame(parent) {
  setObjectName(QStringLiteral("documentPane"));
  setAccessibleName(tr("Document"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* header = new QFrame(this);
  header->setObjectName(QStringLiteral("header"));
  header->setFixedHeight(metric::header);
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(20, 0, 12, 0);
  row->setSpacing(8);
  name_ = new ElidedLabel(header);
  setRole(name_, Role::heading);
  detail_ = makeLabel({}, Role::caption, header);
  auto* close = new QToolButton(header);
  close->setText(QStringLiteral("×"));
  close->setAccessibleName(tr("Hide the document"));
  close->setToolTip(tr("Hide the document"));
  connect(close, &QToolButton::clicked, this, &DocumentPane::closeRequested);
  row->addWidget(name_);
  row->addWidget(detail_);
  row->addStretch(1);
  row->addWidget(close);
  text_ = new DocumentText(this);
  find_ = new FindBar(text_, this);
  connect(text_, &DocumentText::completed, find_, &FindBar::refresh);
  column->addWidget(header);
  column->addWidget(find_);
  column->addWidget(text_, 1);
  setMinimumWidth(240);
}

void DocumentPane::open(const DocumentPtr& document) {
  document_ = document;
  name_->setText(document ? document->name : QString());
  setDetail({});
  text_->open(document);
}

void DocumentPane::setDetail(const QString& detail) {
  detail_->setText(detail);
}

void DocumentPane::find() {
  if (document_) find_->open();
}

}  // namespace orthros::ui
