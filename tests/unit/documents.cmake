orthros_test(documents_tests
  LINKS orthros::documents
  SOURCES ${here}/documents_text_file_test.cpp)
