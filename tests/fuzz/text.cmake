orthros_fuzzer(tokenizer_fuzz LINKS orthros::text SOURCES ${here}/tokenizer_fuzz.cpp)
orthros_fuzzer(tokenizer_vocabulary_fuzz LINKS orthros::text SOURCES ${here}/tokenizer_vocabulary_fuzz.cpp)
