orthros_fuzzer(gguf_fuzz LINKS orthros::model_spec SOURCES ${here}/gguf_fuzz.cpp)
orthros_fuzzer(adapter_fuzz LINKS orthros::model_spec SOURCES ${here}/adapter_fuzz.cpp)
