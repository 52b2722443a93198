# GLSL compute shaders: compiled to SPIR-V, optimised, validated and embedded into the library orthros::shaders.
#
#   orthros_shader(NAME SOURCE file.comp [DEFINES A=1 ...] [TARGET vulkan1.2] [NEEDS GL_... ...] [NO_OPTIMISE])
#     One variant; in C++ shaders::find("NAME"). It is left out, with a message, where glslang lacks an extension that
#     it NEEDS.
#   orthros_shader_library()
#     After all variants: makes the library.
#   orthros_glslang_supports(GL_... RESULT)
#
# A glslang newer than the system's (12.0 lacks GL_KHR_cooperative_matrix) may be used from another folder:
set(ORTHROS_GLSLANG "" CACHE PATH "Folder with glslang or glslangValidator, searched before the system's")
set(ORTHROS_SPIRV_TOOLS "" CACHE PATH "Folder with spirv-opt and spirv-val, searched before the system's")
set(ORTHROS_GLSLANG_LIBRARY_PATH "" CACHE STRING "LD_LIBRARY_PATH with which these programs are started")

# Another folder than at the last configuration: search again.
if(NOT "${ORTHROS_GLSLANG};${ORTHROS_SPIRV_TOOLS}" STREQUAL "${ORTHROS_SHADER_TOOL_FOLDERS}")
  unset(ORTHROS_GLSLANG_PROGRAM CACHE)
  unset(ORTHROS_SPIRV_OPT CACHE)
  unset(ORTHROS_SPIRV_VAL CACHE)
  set(ORTHROS_SHADER_TOOL_FOLDERS "${ORTHROS_GLSLANG};${ORTHROS_SPIRV_TOOLS}" CACHE INTERNAL "")
endif()
find_program(ORTHROS_GLSLANG_PROGRAM NAMES glslang glslangValidator HINTS ${ORTHROS_GLSLANG} REQUIRED)
find_program(ORTHROS_SPIRV_OPT spirv-opt HINTS ${ORTHROS_SPIRV_TOOLS} REQUIRED)
find_program(ORTHROS_SPIRV_VAL spirv-val HINTS ${ORTHROS_SPIRV_TOOLS} REQUIRED)
message(STATUS "Shaders: ${ORTHROS_GLSLANG_PROGRAM}, ${ORTHROS_SPIRV_OPT}")

set(ORTHROS_SHADER_TOOL)
if(ORTHROS_GLSLANG_LIBRARY_PATH)
  set(ORTHROS_SHADER_TOOL ${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${ORTHROS_GLSLANG_LIBRARY_PATH}")
endif()

# The passes of spirv-opt. -O also unrolls loops: drivers do that better once constants are known, and the largest
# shaders then take minutes and a gigabyte to build.
set(ORTHROS_SPIRV_OPT_PASSES --eliminate-dead-branches --inline-entry-points-exhaustive --eliminate-dead-functions
  --eliminate-local-single-block --eliminate-local-single-store --eliminate-dead-code-aggressive --merge-blocks
  --strip-debug)
set(ORTHROS_EMBED_SPIRV ${CMAKE_CURRENT_LIST_DIR}/EmbedSpirv.cmake)

# A statement that makes SPIR-V depend on the extension, so that the SPIR-V tools are tried as well.
function(orthros_extension_probe extension result)
  set(statement "")
  if(extension STREQUAL "GL_KHR_cooperative_matrix")
    string(APPEND statement
      "coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m = "
      "coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0); "
      "coopMatStore(m, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);")
  elseif(extension STREQUAL "GL_EXT_bfloat16")
    set(statement "data[0] = float(bfloat16_t(data[1]));")
  endif()
  set(${result} "#version 450
#extension GL_KHR_memory_scope_semantics : enable
#extension ${extension} : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
void main() { ${statement} }
" PARENT_SCOPE)
endfunction()

# Sets the cache variables ORTHROS_{GLSLANG,SPIRV_OPT,SPIRV_VAL}_HAS_<extension>.
function(orthros_probe_extension extension)
  set(tools "${ORTHROS_GLSLANG_PROGRAM};${ORTHROS_SPIRV_OPT};${ORTHROS_SPIRV_VAL};${ORTHROS_SHADER_TOOL}")
  if("${ORTHROS_PROBED_WITH_${extension}}" STREQUAL "${tools}")
    return()
  endif()
  set(base ${CMAKE_BINARY_DIR}/shader_probes/${extension})
  orthros_extension_probe(${extension} source)
  file(WRITE ${base}.comp "${source}")
  set(compile ${ORTHROS_GLSLANG_PROGRAM} -V --target-env vulkan1.2 -o ${base}.spv ${base}.comp)
  set(optimise ${ORTHROS_SPIRV_OPT} ${ORTHROS_SPIRV_OPT_PASSES} --target-env=vulkan1.2 ${base}.spv -o ${base}.opt.spv)
  set(validate ${ORTHROS_SPIRV_VAL} --target-env vulkan1.2 ${base}.spv)
  foreach(step "GLSLANG;${compile}" "SPIRV_OPT;${optimise}" "SPIRV_VAL;${validate}")
    list(POP_FRONT step tool)
    execute_process(COMMAND ${ORTHROS_SHADER_TOOL} ${step} RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
    if(code EQUAL 0)
      set(ORTHROS_${tool}_HAS_${extension} TRUE CACHE INTERNAL "")
    else()
      set(ORTHROS_${tool}_HAS_${extension} FALSE CACHE INTERNAL "")
    endif()
  endforeach()
  set(ORTHROS_PROBED_WITH_${extension} "${tools}" CACHE INTERNAL "")
  if(NOT ORTHROS_GLSLANG_HAS_${extension})
    message(STATUS "Shaders: glslang lacks ${extension}; a newer one can be named with ORTHROS_GLSLANG")
  else()
    message(STATUS "Shaders: glslang has ${extension}; "
      "spirv-opt knows it: ${ORTHROS_SPIRV_OPT_HAS_${extension}}, spirv-val: ${ORTHROS_SPIRV_VAL_HAS_${extension}}")
  endif()
endfunction()

function(orthros_glslang_supports extension result)
  orthros_probe_extension(${extension})
  set(${result} ${ORTHROS_GLSLANG_HAS_${extension}} PARENT_SCOPE)
endfunction()

function(orthros_shader name)
  cmake_parse_arguments(SHADER "NO_OPTIMISE" "SOURCE;TARGET" "DEFINES;NEEDS" ${ARGN})
  if(NOT SHADER_TARGET)
    set(SHADER_TARGET vulkan1.2)
  endif()
  set(can_validate TRUE)
  set(can_optimise TRUE)
  if(SHADER_NO_OPTIMISE)
    set(can_optimise FALSE)
  endif()
  foreach(extension IN LISTS SHADER_NEEDS)
    orthros_probe_extension(${extension})
    if(NOT ORTHROS_GLSLANG_HAS_${extension})
      message(STATUS "Shaders: variant ${name} is left out, glslang lacks ${extension}")
      return()
    endif()
    if(NOT ORTHROS_SPIRV_OPT_HAS_${extension})
      set(can_optimise FALSE)
    endif()
    if(NOT ORTHROS_SPIRV_VAL_HAS_${extension})
      set(can_validate FALSE)
    endif()
  endforeach()

  string(MAKE_C_IDENTIFIER ${name} symbol)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${SHADER_SOURCE})
  set(base ${CMAKE_CURRENT_BINARY_DIR}/${symbol})
  list(TRANSFORM SHADER_DEFINES PREPEND -D)
  add_custom_command(
    OUTPUT ${base}.spv
    COMMAND ${ORTHROS_SHADER_TOOL} ${ORTHROS_GLSLANG_PROGRAM} --quiet -V --target-env ${SHADER_TARGET}
      -I${CMAKE_SOURCE_DIR}/shaders ${SHADER_DEFINES} --depfile ${base}.d -o ${base}.spv ${source}
    DEPENDS ${source}
    DEPFILE ${base}.d
    COMMENT "Compiling shader ${name}"
    VERBATIM)
  set(steps)
  set(final ${base}.spv)
  if(can_optimise)
    set(final ${base}.opt.spv)
    list(APPEND steps COMMAND ${ORTHROS_SHADER_TOOL} ${ORTHROS_SPIRV_OPT} ${ORTHROS_SPIRV_OPT_PASSES}
      --target-env=${SHADER_TARGET} ${base}.spv -o ${final})
  endif()
  if(can_validate)
    list(APPEND steps COMMAND ${ORTHROS_SHADER_TOOL} ${ORTHROS_SPIRV_VAL} --target-env ${SHADER_TARGET} ${final})
  endif()
  add_custom_command(
    OUTPUT ${base}.cpp
    ${steps}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${final} -DOUTPUT=${base}.cpp -DSYMBOL=${symbol} -P ${ORTHROS_EMBED_SPIRV}
    DEPENDS ${base}.spv ${ORTHROS_EMBED_SPIRV}
    COMMENT "Embedding shader ${name}"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY ORTHROS_SHADER_NAMES ${name})
  set_property(GLOBAL APPEND PROPERTY ORTHROS_SHADER_SOURCES ${base}.cpp)
endfunction()

# The table of names, written only when it changes.
function(orthros_shader_table file)
  get_property(names GLOBAL PROPERTY ORTHROS_SHADER_NAMES)
  list(SORT names)
  foreach(name IN LISTS names)
    string(MAKE_C_IDENTIFIER ${name} symbol)
    string(APPEND declarations "std::span<const uint32_t> ${symbol}();\n")
    string(APPEND rows "    {\"${name}\", data::${symbol}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "#include \"shaders/shader_table.hpp\"

namespace orthros::shaders {
namespace data {
@declarations@
}  // namespace data

namespace {
constexpr Variant table[] = {
@rows@};
}  // namespace

std::span<const Variant> variants() { return table; }

}  // namespace orthros::shaders
" @ONLY)
endfunction()

function(orthros_shader_library)
  set(table ${CMAKE_CURRENT_BINARY_DIR}/shader_table.cpp)
  orthros_shader_table(${table})
  get_property(sources GLOBAL PROPERTY ORTHROS_SHADER_SOURCES)
  orthros_room(shaders SOURCES shaders.cpp ${table} ${sources})
endfunction()
