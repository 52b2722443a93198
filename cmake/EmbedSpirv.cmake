# cmake -DINPUT=file.spv -DOUTPUT=file.cpp -DSYMBOL=name -P EmbedSpirv.cmake
# Writes a C++ file with the function orthros::shaders::data::name(), which returns the words of a SPIR-V module.
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR rest "${digits} % 8")
if(digits EQUAL 0 OR NOT rest EQUAL 0)
  message(FATAL_ERROR "${INPUT}: not a SPIR-V module")
endif()
# SPIR-V files are written in the byte order of the machine that compiles: little-endian.
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${bytes}")
string(REGEX REPLACE "((0x........,){8})" "\\1\n" words "${words}")
file(WRITE ${OUTPUT}
"#include <cstdint>
#include <span>

namespace orthros::shaders::data {

std::span<const uint32_t> ${SYMBOL}();

std::span<const uint32_t> ${SYMBOL}() {
  static constexpr uint32_t words[] = {
${words}
  };
  return words;
}

}  // namespace orthros::shaders::data
")
