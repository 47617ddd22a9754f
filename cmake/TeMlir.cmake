# Build helpers of te-mlir.
#
#   te_library(NAME [PCH] SOURCES... LINK libs... DEPENDS targets...)
#     A static library. PCH: use the precompiled MLIR header.
#   te_tool(NAME [PCH] [STATIC] [MAIN function] SOURCES... LINK libs...)
#     A program. STATIC: with the archives of MLIR and LLVM, which start 20 ms faster than the shared libraries, and at a fixed address: the
#     loader has nothing to write to.
#     MAIN: a function of tools/Tools.h is the program, and NAME_objects, the sources, serve te_mlir._native too.
#   te_llvm: MLIR, LLVM and lld's ELF linker, as the program that is linked has them.
#   te_tablegen(OUT TD FLAGS...), te_tablegen_target(NAME)

# te_tablegen(<out> <td> flags...): one generated file in the matching folder of the build tree.
function(te_tablegen out td)
  file(RELATIVE_PATH rel ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(output ${CMAKE_BINARY_DIR}/${rel}/${out})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${TE_TABLEGEN_EXE} ${ARGN} -I ${CMAKE_SOURCE_DIR}/include -I ${MLIR_INCLUDE_DIRS}
            ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${output} -d ${output}.d --write-if-changed
    COMMAND ${CMAKE_COMMAND} -E touch_nocreate ${output}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${td}
    DEPFILE ${output}.d
    COMMENT "mlir-tblgen ${rel}/${out}")
  set_property(DIRECTORY APPEND PROPERTY TE_TABLEGEN_OUTPUTS ${output})
endfunction()

# te_tablegen_target(<name>): a target for what te_tablegen made in this folder.
function(te_tablegen_target name)
  get_property(outputs DIRECTORY PROPERTY TE_TABLEGEN_OUTPUTS)
  add_custom_target(${name} DEPENDS ${outputs})
  set_property(GLOBAL APPEND PROPERTY TE_TABLEGEN_TARGETS ${name})
endfunction()

function(te_library name)
  cmake_parse_arguments(ARG "PCH" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_PCH)
    target_precompile_headers(${name} REUSE_FROM te_pch)
    add_dependencies(${name} te_tablegen_all)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(te_tool name)
  cmake_parse_arguments(ARG "PCH;STATIC" "MAIN" "LINK" ${ARGN})
  set(sources ${name})
  if(ARG_MAIN)
    set(sources ${name}_objects)
    add_library(${sources} OBJECT ${ARG_UNPARSED_ARGUMENTS})
    add_executable(${name} Main.cpp)
    target_compile_definitions(${name} PRIVATE TE_MAIN=${ARG_MAIN})
    target_link_libraries(${name} PRIVATE ${sources})
  else()
    add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  endif()
  set_property(TARGET ${name} PROPERTY TE_STATIC ${ARG_STATIC})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_STATIC)
    target_link_options(${name} PRIVATE -no-pie -static-libstdc++ -Wl,--as-needed)
  endif()
  if(ARG_PCH)
    target_precompile_headers(${sources} REUSE_FROM te_pch)
    add_dependencies(${sources} te_tablegen_all)
  endif()
endfunction()
