# orthros_room(NAME [LINKS lib...] SOURCES file...): one static library per room of the engine, orthros_NAME.
# A room may link only rooms that stand before it in engine/CMakeLists.txt: the linker then enforces the arrows.
function(orthros_room name)
  cmake_parse_arguments(ROOM "" "" "LINKS;SOURCES" ${ARGN})
  add_library(orthros_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(orthros_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(orthros_${name} PUBLIC ${ROOM_LINKS})
  add_library(orthros::${name} ALIAS orthros_${name})
endfunction()
