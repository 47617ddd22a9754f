//===- File.cpp - reading and writing files -------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Runtime/File.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mlir::te::rt {

/// As many links as Linux follows.
static constexpr int kMaxLinks = 40;

static Failure systemError(const std::string &what, const std::string &path) {
  return {path + ": cannot " + what + ": " + std::strerror(errno)};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Result<std::vector<uint8_t>> readFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("open", path);
  std::vector<uint8_t> contents;
  struct stat info{};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
    if (Status status = checkMemory(info.st_size, path); !status) {
      close(file);
      return status.takeFailure();
    }
    contents.reserve(info.st_size);
  }
  ssize_t count;
  uint8_t chunk[1 << 16];
  while ((count = read(file, chunk, sizeof(chunk))) > 0)
    contents.insert(contents.end(), chunk, chunk + count);
  Failure failure = count < 0 ? systemError("read", path) : Failure{};
  close(file);
  if (count < 0)
    return failure;
  return contents;
}

Status checkMemory(uint64_t bytes, const std::string &what) {
  if (bytes == 0)
    return {};
  uint64_t machine = uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  void *memory = bytes > machine ? MAP_FAILED
                                 : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Failure{what + ": not enough memory: " + std::to_string(bytes) +
                   " bytes are needed"};
  munmap(memory, bytes);
  return {};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string getFolder(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == path.npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The descriptor of this process that a file of /proc is, or -1.
static int findDescriptor(const std::string &path) {
  char *folder = realpath(getFolder(path).c_str(), nullptr);
  bool isOpen = folder && "/proc/" + std::to_string(getpid()) + "/fd" == folder;
  free(folder);
  std::string name = path.substr(path.rfind('/') + 1);
  if (!isOpen || name.empty() || name.size() > 9 ||
      name.find_first_not_of("0123456789") != name.npos)
    return -1;
  return std::stoi(name);
}

namespace {
/// Where what is written to a path goes.
struct Destination {
  std::string path;    // no symbolic link
  int descriptor = -1; // of this process
};
} // namespace

static std::optional<Destination> resolve(std::string path) {
  for (int links = 0; links < kMaxLinks; ++links) {
    if (int descriptor = findDescriptor(path); descriptor >= 0)
      return Destination{path, descriptor};
    char target[PATH_MAX];
    ssize_t length = readlink(path.c_str(), target, sizeof(target));
    if (length < 0) // no link
      return Destination{path};
    std::string next(target, length);
    path = next.front() == '/' ? next : getFolder(path) + "/" + next;
  }
  errno = ELOOP;
  return std::nullopt;
}

static bool writeAll(int file, std::string_view data) {
  while (!data.empty()) {
    ssize_t count = write(file, data.data(), data.size());
    if (count < 0 && errno != EINTR)
      return false;
    data.remove_prefix(std::max<ssize_t>(count, 0));
  }
  return true;
}

/// Writes to `file` and closes it.
static bool writeAndClose(int file,
                          const std::vector<std::string_view> &parts) {
  bool isWritten = file >= 0 && std::all_of(parts.begin(), parts.end(),
                                            [&](std::string_view part) {
                                              return writeAll(file, part);
                                            });
  int error = errno;
  bool isClosed = file < 0 || close(file) == 0;
  if (!isWritten)
    errno = error;
  return isWritten && isClosed;
}

/// A new file in the folder of `path`, with what the umask leaves of `mode`.
static int makeTemporary(const std::string &path, std::string &temporary) {
  std::string folder = getFolder(path);
  for (unsigned number = 0; number < INT_MAX; ++number) {
    temporary = folder + "/.te-" + std::to_string(getpid()) + "-" +
                std::to_string(number) + ".tmp";
    int file =
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

Status writeFile(const std::string &path,
                 const std::vector<std::string_view> &parts) {
  std::optional<Destination> to = resolve(path);
  if (!to)
    return systemError("write", path);
  struct stat info{};
  bool exists = stat(to->path.c_str(), &info) == 0;
  if (to->descriptor >= 0 || (exists && !S_ISREG(info.st_mode))) {
    int file = to->descriptor >= 0
                   ? fcntl(to->descriptor, F_DUPFD_CLOEXEC, 0)
                   : open(to->path.c_str(), O_WRONLY | O_CLOEXEC);
    return writeAndClose(file, parts) ? Status() : systemError("write", path);
  }
  if (exists && access(to->path.c_str(), W_OK) != 0)
    return systemError("write", path);
  std::string temporary;
  int file = makeTemporary(to->path, temporary);
  if (file < 0)
    return systemError("write", path);
  bool keepsMode = !exists || fchmod(file, info.st_mode & 07777) == 0;
  if (writeAndClose(file, parts) && keepsMode &&
      rename(temporary.c_str(), to->path.c_str()) == 0)
    return {};
  Failure failure = systemError("write", path);
  unlink(temporary.c_str());
  return failure;
}

} // namespace mlir::te::rt
