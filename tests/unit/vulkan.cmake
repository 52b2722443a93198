orthros_test(vulkan_tests
  LINKS orthros::vulkan orthros::shaders
  SOURCES
    ${here}/vulkan_buffer_test.cpp
    ${here}/vulkan_device_test.cpp
    ${here}/vulkan_dispatch_test.cpp
    ${here}/vulkan_hazards_test.cpp
    ${here}/vulkan_memory_failure_test.cpp
    ${here}/vulkan_pipeline_test.cpp
    ${here}/vulkan_timestamps_test.cpp
    ${here}/vulkan_validation_test.cpp)
