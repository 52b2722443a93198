orthros_fuzzer(template_fuzz
  LINKS orthros::templates
  SOURCES ${here}/template_fuzz.cpp)
