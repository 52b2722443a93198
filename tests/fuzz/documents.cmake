orthros_fuzzer(document_fuzz LINKS orthros::documents SOURCES ${here}/document_fuzz.cpp)
