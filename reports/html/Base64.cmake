# SPDX-FileCopyrightText: The streamcts authors
# SPDX-License-Identifier: Apache-2.0

# streamcts_base64(HEX RESULT)
#
# Base64 of the bytes that HEX spells; CMake knows hashes in hexadecimal only.
function(streamcts_base64 hex result)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  while(NOT hex STREQUAL "")
    # Three bytes are four characters; what is missing of the last three is padding.
    string(LENGTH "${hex}" digits)
    if(digits GREATER 6)
      set(digits 6)
    endif()
    string(SUBSTRING "${hex}" 0 ${digits} group)
    string(SUBSTRING "${hex}" ${digits} -1 hex)
    string(SUBSTRING "${group}0000" 0 6 group)
    math(EXPR kept "${digits} / 2 + 1")
    foreach(shift 18 12 6 0)
      if(kept EQUAL 0)
        string(APPEND text "=")
      else()
        math(EXPR index "(0x${group} >> ${shift}) & 63")
        string(SUBSTRING "${alphabet}" ${index} 1 character)
        string(APPEND text "${character}")
        math(EXPR kept "${kept} - 1")
      endif()
    endforeach()
  endwhile()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()
