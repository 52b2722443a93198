// The values that GGUF metadata can hold, their type names and their text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace orthros::gguf {

// Arrays keep their element type; strings are copies (a vocabulary is the only large one).
using Array =
    std::variant<std::vector<uint8_t>, std::vector<int8_t>, std::vector<uint16_t>, std::vector<int16_t>,
                 std::vector<uint32_t>, std::vector<int32_t>, std::vector<float>, std::vector<bool>,
                 std::vector<std::string>, std::vector<uint64_t>, std::vector<int64_t>, std::vector<double>>;
// The alternative's index is the type's number in the file.
using Value = std::variant<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float, bool, std::string,
                           Array, uint64_t, int64_t, double>;

// Type numbers of the file format.
enum class ValueType : uint32_t { boolean = 7, string = 8, array = 9, last = 12 };

// Element type number of an array (the list of alternatives has no nested array).
inline uint32_t elementTypeNumber(const Array& array) {
  const auto index = static_cast<uint32_t>(array.index());
  return index < static_cast<uint32_t>(ValueType::array) ? index : index + 1;
}

// "u32", "string", ...; "unknown" for a number beyond the format's list.
const char* typeName(uint32_t typeNumber);

// "u32", "string", "f32[32]".
std::string typeName(const Value& value);

size_t arraySize(const Array& array);

// The value as text for people: numbers with all their digits, arrays as "[a, b, c, ... 49152 in all]" after
// `arrayLimit` elements, strings cut after `textLimit` bytes at a character's end.
std::string toText(const Value& value, size_t arrayLimit = 8, size_t textLimit = 4096);

// Calls visit(std::type_identity<T>{}) with the C++ type of a scalar type number; `otherwise()` for an
// array's or an unknown number.
template <class Visit, class Otherwise>
auto visitScalarType(uint32_t typeNumber, Visit&& visit, Otherwise&& otherwise) {
  switch (typeNumber) {
    case 0:
      return visit(std::type_identity<uint8_t>{});
    case 1:
      return visit(std::type_identity<int8_t>{});
    case 2:
      return visit(std::type_identity<uint16_t>{});
    case 3:
      return visit(std::type_identity<int16_t>{});
    case 4:
      return visit(std::type_identity<uint32_t>{});
    case 5:
      return visit(std::type_identity<int32_t>{});
    case 6:
      return visit(std::type_identity<float>{});
    case 7:
      return visit(std::type_identity<bool>{});
    case 8:
      return visit(std::type_identity<std::string>{});
    case 10:
      return visit(std::type_identity<uint64_t>{});
    case 11:
      return visit(std::type_identity<int64_t>{});
    case 12:
      return visit(std::type_identity<double>{});
    default:
      return otherwise();
  }
}

}  // namespace orthros::gguf
