# Warnings, optimisation and sanitizers, applied to every target of the project.
add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # g++ 12 warns of std::string's own operator+ (GCC bug 105651)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-subobject-linkage)  # it takes the files of a merged unit for headers
endif()
if(ORTHROS_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()

string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")  # the shaders do the arithmetic

if(ORTHROS_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(ORTHROS_BUILD_FUZZERS)  # the fuzzer's own main comes with tests/CMakeLists.txt, orthros_fuzzer
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
