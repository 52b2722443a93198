orthros_test(gguf_tests
  LINKS orthros::gguf
  SOURCES ${here}/gguf_half_test.cpp ${here}/gguf_dequantize_test.cpp ${here}/gguf_quantize_test.cpp
          ${here}/gguf_value_test.cpp ${here}/gguf_file_test.cpp ${here}/gguf_damage_test.cpp ${here}/gguf_writer_test.cpp)
