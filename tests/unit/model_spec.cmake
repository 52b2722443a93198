orthros_test(model_spec_tests
  LINKS orthros::model_spec
  SOURCES ${here}/model_spec_reading_test.cpp ${here}/model_spec_rope_test.cpp ${here}/model_spec_rotation_test.cpp ${here}/model_spec_adapter_test.cpp
          ${here}/model_spec_adapter_faults_test.cpp ${here}/model_spec_synth_test.cpp)
