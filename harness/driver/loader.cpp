// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/loader.h"

#include <link.h>

#include <filesystem>

#include "harness/driver/mapped_files.h"

namespace streamcts::driver {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(load_error::cause why, const std::string& message) {
  throw load_error(why, message);
}

void* open_system(const std::string& what, const std::string& name, const std::string& remedy) {
  if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  const std::string error = dlerror();
  // The loader names the file that it misses: the library itself, or one that it depends on.
  if (error.starts_with(name + ": cannot open shared object file: No such file")) {
    fail(load_error::cause::not_found,
         what + " 'system': the loader finds no " + name + "; install one, or " + remedy);
  }
  fail(load_error::cause::does_not_load,
       what + " 'system' does not load: " + error + "; repair its installation, or " + remedy);
}

void* open_path(const std::string& what, const std::string& path, const std::string& remedy) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    fail(load_error::cause::not_found, what + " '" + path + "': no such file; " + remedy);
  }
  // Absolute, since the loader would search for a name without a slash.
  if (void* handle = dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  fail(load_error::cause::does_not_load,
       what + " '" + path + "' does not load: " + dlerror() + "; " + remedy);
}

}  // namespace

loaded_file load_file(const std::string& what, const std::string& path,
                      const std::string& system_name, const std::string& remedy) {
  loaded_file file;
  file.handle =
      path == "system" ? open_system(what, system_name, remedy) : open_path(what, path, remedy);
  const link_map* map = nullptr;
  if (dlinfo(file.handle, RTLD_DI_LINKMAP, &map) == 0) {
    std::error_code error;
    const fs::path real = fs::canonical(map->l_name, error);
    file.path = error ? map->l_name : real.string();
    file.build_id = build_id_of_address(map->l_ld);
  }
  return file;
}

}  // namespace streamcts::driver
