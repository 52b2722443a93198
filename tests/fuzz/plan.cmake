orthros_fuzzer(plan_json_fuzz LINKS orthros::phase SOURCES ${here}/plan_json_fuzz.cpp)
orthros_fuzzer(plan_gguf_fuzz LINKS orthros::phase SOURCES ${here}/plan_gguf_fuzz.cpp)
