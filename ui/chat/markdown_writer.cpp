#include "ui/chat/markdown_writer.hpp"

#include <QHash>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextList>
#include <QTextTable>

#include "ui/theme/theme.hpp"

namespace orthros::ui {
namespace {

constexpr qreal paragraphGap = 8;
constexpr qreal lineHeightPercent = 140;

// Copies a parsed scratch document block by block. Qt's own insertion of a fragment drops the format of the
// first block, which is the very one that streaming replaces.
class Copier {
 public:
  explicit Copier(QTextCursor& cursor) : cursor_(cursor) {}

  void copy(const QTextFrame* frame) {
    for (auto item = frame->begin(); !item.atEnd(); ++item) {
      if (const auto* table = qobject_cast<const QTextTable*>(item.currentFrame()))
        copyTable(table);
      else if (item.currentFrame())
        copy(item.currentFrame());
      else
        copyBlock(item.currentBlock());
    }
  }

 private:
  QTextBlockFormat blockFormatOf(const QTextBlock& block) const {
    const QTextBlockFormat source = block.blockFormat();
    const int heading = source.headingLevel();
    const bool code = isCode(block);
    QTextBlockFormat format;
    format.setLineHeight(code ? 125 : lineHeightPercent, QTextBlockFormat::ProportionalHeight);
    format.setTopMargin(heading > 0 && started_ ? 2 * paragraphGap : 0);
    format.setBottomMargin(code ? 0 : block.textList() ? paragraphGap / 2 : paragraphGap);
    format.setHeadingLevel(heading);
    format.setAlignment(source.alignment());
    format.setIndent(source.indent());
    const int quote = source.intProperty(QTextFormat::BlockQuoteLevel);
    if (quote > 0) format.setLeftMargin(16.0 * quote);
    if (code) {
      format.setBackground(Theme::instance().tokens().surface);
      format.setNonBreakableLines(false);
      format.setProperty(QTextFormat::BlockCodeFence, source.property(QTextFormat::BlockCodeFence));
    }
    if (source.hasProperty(QTextFormat::BlockTrailingHorizontalRulerWidth))
      format.setProperty(QTextFormat::BlockTrailingHorizontalRulerWidth,
                         source.property(QTextFormat::BlockTrailingHorizontalRulerWidth));
    if (source.hasProperty(QTextFormat::BlockMarker))
      format.setProperty(QTextFormat::BlockMarker, source.property(QTextFormat::BlockMarker));
    return format;
  }

  static bool isCode(const QTextBlock& block) {
    return block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) ||
           block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage);
  }

  static QTextCharFormat charFormatOf(const QTextCharFormat& source, int heading) {
    const Tokens& tokens = Theme::instance().tokens();
    QTextCharFormat format;
    const bool code = source.fontFixedPitch();
    format.setFont(code ? Theme::codeFont(13) : Theme::bodyFont());
    if (heading > 0)
      format.setProperty(QTextFormat::FontPixelSize, heading == 1 ? 18 : heading == 2 ? 16 : 14);
    if (heading > 0 || source.fontWeight() > QFont::Normal) format.setFontWeight(QFont::DemiBold);
    format.setFontItalic(source.fontItalic());
    format.setFontStrikeOut(source.fontStrikeOut());
    format.setForeground(tokens.text);
    if (source.isAnchor()) {
      format.setAnchor(true);
      format.setAnchorHref(source.anchorHref());
      format.setFontUnderline(true);
      format.setUnderlineColor(tokens.accent);
    }
    return format;
  }

  void copyText(const QTextBlock& block) {
    const int heading = block.blockFormat().headingLevel();
    for (auto run = block.begin(); !run.atEnd(); ++run) {
      const QTextFragment fragment = run.fragment();
      if (fragment.charFormat().isImageFormat()) continue;
      cursor_.insertText(fragment.text(), charFormatOf(fragment.charFormat(), heading));
    }
  }

  void copyBlock(const QTextBlock& block) {
    const QTextBlockFormat format = blockFormatOf(block);
    const QTextCharFormat charFormat = charFormatOf(block.charFormat(), block.blockFormat().headingLevel());
    if (started_)
      cursor_.insertBlock(format, charFormat);
    else
      cursor_.setBlockFormat(format);
    cursor_.setBlockCharFormat(charFormat);
    if (const QTextList* list = block.textList()) addToList(list);
    copyText(block);
    started_ = true;
  }

  void addToList(const QTextList* source) {
    if (QTextList* known = lists_.value(source)) {
      known->add(cursor_.block());
    } else {
      lists_.insert(source, cursor_.createList(source->format()));
    }
  }

  // A table stands between two blocks; the one before it shrinks to a gap.
  void copyTable(const QTextTable* table) {
    if (started_) cursor_.insertBlock(QTextBlockFormat(), QTextCharFormat());
    QTextBlockFormat gap;
    gap.setLineHeight(4, QTextBlockFormat::FixedHeight);
    cursor_.setBlockFormat(gap);
    QTextTableFormat format;
    format.setBorder(1);
    format.setBorderBrush(Theme::instance().tokens().line);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderCollapse(true);
    format.setCellPadding(4);
    format.setCellSpacing(0);
    QTextTable* copy = cursor_.insertTable(table->rows(), table->columns(), format);
    for (int row = 0; row < table->rows(); ++row) {
      for (int column = 0; column < table->columns(); ++column) {
        cursor_ = copy->cellAt(row, column).firstCursorPosition();
        copyText(table->cellAt(row, column).firstCursorPosition().block());
      }
    }
    cursor_ = copy->lastCursorPosition();
    cursor_.movePosition(QTextCursor::NextBlock);
    cursor_.setBlockFormat(gap);
    started_ = true;
  }

  QTextCursor& cursor_;
  QHash<const QTextList*, QTextList*> lists_;
  bool started_ = false;
};

}  // namespace

void writeMarkdown(QTextCursor& cursor, const QString& markdown) {
  QTextDocument scratch;
  scratch.setUndoRedoEnabled(false);
  scratch.setMarkdown(markdown, QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub) |
                                    QTextDocument::MarkdownNoHTML);
  Copier(cursor).copy(scratch.rootFrame());
}

}  // namespace orthros::ui
