// Writes Markdown into a document at a cursor, in the program's own type: line height, margins, code, links.
#pragma once

#include <QString>

class QTextCursor;

namespace orthros::ui {

// Fills the empty block at the cursor and adds blocks after it. HTML stays text, pictures are left out.
void writeMarkdown(QTextCursor& cursor, const QString& markdown);

}  // namespace orthros::ui
