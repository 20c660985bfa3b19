cmake_minimum_required(VERSION 3.25)
# Writes the header OUT with the id of the commit checked out in SRC, or "unknown" where there is no repository.
execute_process(COMMAND git -C ${SRC} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE id OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(id unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#pragma once\n\ninline constexpr char kGitVersion[] = \"@id@\";\n" @ONLY)
