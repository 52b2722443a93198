# libarchive unpacks the Qwen vocabulary; without it that one test is skipped.
find_package(PkgConfig REQUIRED)
pkg_check_modules(VOCABULARY_UNPACKER IMPORTED_TARGET libarchive)

orthros_test(text_tokenizer_tests
  LINKS orthros::text
  SOURCES ${here}/text_tokenizer_support.cpp
          ${here}/text_tokenizer_unicode_test.cpp
          ${here}/text_tokenizer_pretokenizer_test.cpp
          ${here}/text_tokenizer_byte_pair_test.cpp
          ${here}/text_tokenizer_sentence_piece_test.cpp
          ${here}/text_tokenizer_special_test.cpp
          ${here}/text_tokenizer_detokenizer_test.cpp
          ${here}/text_tokenizer_faults_test.cpp
          ${here}/text_tokenizer_loading_test.cpp
          ${here}/text_tokenizer_vectors_test.cpp)
if(VOCABULARY_UNPACKER_FOUND)
  target_link_libraries(text_tokenizer_tests PRIVATE PkgConfig::VOCABULARY_UNPACKER)
  target_compile_definitions(text_tokenizer_tests PRIVATE ORTHROS_TEST_XZ)
endif()
