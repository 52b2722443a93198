#include "engine/documents/encoding.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include <uchardet.h>
#include <unicode/ucnv.h>
#include <unicode/utypes.h>

namespace orthros::documents {
namespace {

struct ByteOrderMark {
  std::string_view bytes;
  const char* encoding;
};

// UTF-32LE stands before UTF-16LE, whose mark is its beginning.
constexpr std::array<ByteOrderMark, 5> byteOrderMarks = {{
    {std::string_view("\xEF\xBB\xBF", 3), "UTF-8"},
    {std::string_view("\xFF\xFE\0\0", 4), "UTF-32LE"},
    {std::string_view("\0\0\xFE\xFF", 4), "UTF-32BE"},
    {std::string_view("\xFF\xFE", 2), "UTF-16LE"},
    {std::string_view("\xFE\xFF", 2), "UTF-16BE"},
}};

const ByteOrderMark* byteOrderMarkOf(std::string_view bytes) {
  const auto found = std::find_if(byteOrderMarks.begin(), byteOrderMarks.end(),
                                  [&](const ByteOrderMark& mark) { return bytes.starts_with(mark.bytes); });
  return found == byteOrderMarks.end() ? nullptr : &*found;
}

using Converter = std::unique_ptr<UConverter, decltype(&ucnv_close)>;

// A converter that stops at the first sequence its encoding does not allow.
Converter openConverter(const std::string& encoding) {
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(encoding.c_str(), &status), &ucnv_close);
  if (U_FAILURE(status)) return Converter(nullptr, &ucnv_close);
  ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);
  ucnv_setFromUCallBack(converter.get(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);
  return converter;
}

bool convert(UConverter* source, UConverter* target, std::string_view bytes, std::string& text) {
  const char* position = bytes.data();
  const char* const end = bytes.data() + bytes.size();
  std::array<UChar, 4096> pivot;
  UChar* pivotBegin = pivot.data();
  UChar* pivotEnd = pivot.data();
  std::array<char, 16384> buffer;
  UErrorCode status = U_ZERO_ERROR;
  UBool reset = true;
  do {
    char* out = buffer.data();
    status = U_ZERO_ERROR;
    ucnv_convertEx(target, source, &out, buffer.data() + buffer.size(), &position, end, pivot.data(),
                   &pivotBegin, &pivotEnd, pivot.data() + pivot.size(), reset, true, &status);
    reset = false;
    text.append(buffer.data(), static_cast<size_t>(out - buffer.data()));
  } while (status == U_BUFFER_OVERFLOW_ERROR);
  return U_SUCCESS(status);
}

bool decodes(std::string_view bytes, const std::string& encoding) {
  const Converter source = openConverter(encoding);
  const Converter target = openConverter("UTF-8");
  std::string ignored;
  return source && target && convert(source.get(), target.get(), bytes, ignored);
}

std::string guessFromStatistics(std::string_view bytes) {
  const std::unique_ptr<uchardet, decltype(&uchardet_delete)> detector(uchardet_new(), &uchardet_delete);
  constexpr size_t sampleBytes = 256 * 1024;
  if (uchardet_handle_data(detector.get(), bytes.data(), std::min(bytes.size(), sampleBytes)) != 0) return {};
  uchardet_data_end(detector.get());
  return uchardet_get_charset(detector.get());
}

}  // namespace

std::string detectEncoding(std::string_view bytes) {
  if (const ByteOrderMark* mark = byteOrderMarkOf(bytes)) return mark->encoding;
  if (decodes(bytes, "UTF-8")) return "UTF-8";
  const std::string guess = guessFromStatistics(bytes);
  // Latin-1 as files name it is windows-1252 in fact: the bytes 0x80 to 0x9F are quotes and dashes.
  const bool latin = guess.empty() || guess == "ISO-8859-1" || guess == "ASCII" || guess == "UTF-8";
  return latin || !decodes(bytes, guess) ? "windows-1252" : guess;
}

Result<std::string> toUtf8(std::string_view bytes, const std::string& encoding, const std::string& subject) {
  // Files joined from several may begin with more than one mark.
  if (const ByteOrderMark* mark = byteOrderMarkOf(bytes))
    while (bytes.starts_with(mark->bytes)) bytes.remove_prefix(mark->bytes.size());
  const Converter source = openConverter(encoding);
  const Converter target = openConverter("UTF-8");
  if (!source || !target)
    return fail(ErrorCode::unsupported, subject, "is encoded as " + encoding + ", which is not known here",
                "Save it as UTF-8 and open it again");
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  if (!convert(source.get(), target.get(), bytes, text))
    return fail(ErrorCode::malformed, subject, "is not valid " + encoding,
                "Save it as UTF-8 and open it again");
  return text;
}

}  // namespace orthros::documents
