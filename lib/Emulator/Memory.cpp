//===- Memory.cpp - allocations of the emulated device --------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Memory.h"
#include "CodeObjectImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>

namespace mlir::te::emu {

DeviceMemory::DeviceMemory(bool shadowed) : impl(std::make_unique<Impl>()) {
  impl->shadowed = shadowed;
}
DeviceMemory::~DeviceMemory() = default;

uint64_t DeviceMemory::allocate(uint64_t bytes, llvm::StringRef name) {
  return impl->allocate(bytes, name);
}

bool DeviceMemory::adopt(uint8_t *host, uint64_t bytes, llvm::StringRef name,
                         bool isWritten) {
  return impl->adopt(host, bytes, name, isWritten);
}

bool DeviceMemory::free(uint64_t address) { return impl->free(address); }

void DeviceMemory::unload(const CodeObject &object) {
  auto found = impl->images.find(object.getImpl().id);
  if (found == impl->images.end())
    return;
  impl->free(found->second);
  impl->images.erase(found);
}

uint8_t *DeviceMemory::view(uint64_t address, uint64_t bytes) {
  const Allocation *found = impl->find(address, bytes);
  return found ? found->host + (address - found->begin) : nullptr;
}

bool DeviceMemory::write(uint64_t address, llvm::ArrayRef<uint8_t> bytes) {
  uint8_t *host = view(address, bytes.size());
  if (!host)
    return false;
  llvm::copy(bytes, host);
  impl->define(address, bytes.size());
  return true;
}

llvm::Expected<std::pair<uint64_t, uint64_t>>
DeviceMemory::findGlobal(const CodeObject &object, llvm::StringRef symbol) {
  const CodeObject::Impl &code = object.getImpl();
  auto found = code.symbols.find(symbol);
  if (found == code.symbols.end())
    return llvm::createStringError("the code object '" + code.name +
                                   "' has no symbol '" + symbol + "'");
  auto [begin, bytes] = found->second;
  if (begin > code.image.size() || bytes > code.image.size() - begin)
    return llvm::createStringError("the symbol '" + symbol +
                                   "' lies outside of the code object '" +
                                   code.name + "'");
  auto image = impl->load(code);
  if (!image)
    return image.takeError();
  return std::pair(*image + begin, bytes);
}

llvm::Expected<uint64_t>
DeviceMemory::Impl::load(const CodeObject::Impl &object) {
  if (auto it = images.find(object.id); it != images.end())
    return it->second;
  uint64_t address =
      allocate(object.image.size(), "code object " + object.name);
  if (!address)
    return llvm::createStringError("no host memory for the code object");
  uint8_t *host = find(address, object.image.size())->host;
  llvm::copy(object.image, host);
  define(address, object.image.size());
  for (const Relocation &relocation : object.relocations)
    llvm::support::endian::write64le(host + relocation.offset,
                                     address + relocation.value);
  return images[object.id] = address;
}

DeviceMemory::Impl::~Impl() {
  for (Allocation &allocation : allocations)
    if (!allocation.isAdopted)
      ::free(allocation.host);
}

/// The first allocation that begins after `address`.
static auto findAfter(llvm::ArrayRef<Allocation> allocations,
                      uint64_t address) {
  return llvm::upper_bound(
      allocations, address,
      [](uint64_t value, const Allocation &a) { return value < a.begin; });
}

void DeviceMemory::Impl::insert(Allocation allocation) {
  auto after = findAfter(allocations, allocation.begin);
  allocations.insert(allocations.begin() + (after - allocations.data()),
                     std::move(allocation));
}

uint64_t DeviceMemory::Impl::allocate(uint64_t bytes, llvm::StringRef name) {
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes > kSharedBase - next - 2 * kGuardBytes)
    return 0;
  // One byte more: an empty allocation has a host address of its own too.
  auto *host = static_cast<uint8_t *>(std::calloc(bytes + 1, 1));
  auto shadow = host && shadowed ? std::make_unique<Shadow>(bytes) : nullptr;
  if (!host || (shadow && !shadow->isValid())) {
    ::free(host);
    return 0;
  }
  uint64_t address = next;
  next = llvm::alignTo(address + bytes + kGuardBytes, kGuardBytes);
  insert({address, address + bytes, host, name.str(), std::move(shadow)});
  return address;
}

bool DeviceMemory::Impl::adopt(uint8_t *host, uint64_t bytes,
                               llvm::StringRef name, bool isWritten) {
  std::lock_guard<std::mutex> lock(mutex);
  auto begin = reinterpret_cast<uint64_t>(host);
  if (begin > kFirstAddress || bytes > kFirstAddress - begin)
    return false;
  llvm::ArrayRef<Allocation> others = allocations;
  auto after = findAfter(others, begin);
  bool overlaps = (after != others.end() && after->begin < begin + bytes) ||
                  (after != others.begin() && std::prev(after)->end > begin);
  auto shadow = shadowed ? std::make_unique<Shadow>(bytes) : nullptr;
  if (overlaps || (shadow && !shadow->isValid()))
    return false;
  if (shadow && isWritten)
    shadow->define(0, bytes);
  insert({begin, begin + bytes, host, name.str(), std::move(shadow),
          /*isAdopted=*/true});
  return true;
}

void DeviceMemory::Impl::define(uint64_t address, uint64_t bytes) {
  const Allocation *found = find(address, bytes);
  if (found && found->shadow)
    found->shadow->define(address - found->begin, bytes);
}

void DeviceMemory::Impl::forgetAccesses() {
  for (Allocation &allocation : allocations)
    if (allocation.shadow)
      allocation.shadow->forget();
}

const Allocation *DeviceMemory::Impl::findFreed(uint64_t address) const {
  auto found = llvm::find_if(freed, [&](const Allocation &a) {
    return address >= a.begin && address < a.end;
  });
  return found == freed.end() ? nullptr : &*found;
}

bool DeviceMemory::Impl::free(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = llvm::find_if(
      allocations, [&](const Allocation &a) { return a.begin == address; });
  if (found == allocations.end())
    return false;
  if (!found->isAdopted)
    ::free(found->host);
  if (freed.size() == kMostFreed)
    freed.erase(freed.begin());
  if (shadowed && !found->isAdopted)
    freed.push_back({found->begin, found->end, nullptr, found->name, nullptr});
  allocations.erase(found);
  return true;
}

const Allocation *DeviceMemory::Impl::find(uint64_t address,
                                           uint64_t bytes) const {
  auto after = findAfter(allocations, address);
  if (after == allocations.data())
    return nullptr;
  const Allocation &candidate = *std::prev(after);
  return candidate.contains(address, bytes) ? &candidate : nullptr;
}

std::string DeviceMemory::Impl::describe(uint64_t address) const {
  if (const Allocation *gone = findFreed(address))
    return llvm::formatv("it is {0} bytes into '{1}', which has been freed",
                         address - gone->begin, gone->name);
  const Allocation *nearest = nullptr;
  uint64_t least = UINT64_MAX;
  auto distance = [&](const Allocation &a) {
    return address < a.begin ? a.begin - address
                             : (address < a.end ? 0 : address - a.end);
  };
  for (const Allocation &allocation : allocations) {
    if (distance(allocation) <= least) {
      least = distance(allocation);
      nearest = &allocation;
    }
  }
  if (!nearest)
    return "no memory is allocated";
  const char *where = address < nearest->begin
                          ? "bytes before"
                          : (address < nearest->end ? "bytes (it starts in)"
                                                    : "bytes past the end of");
  return llvm::formatv("the nearest allocation: {0} {1} '{2}' ({3} bytes at "
                       "{4:x})",
                       least, where, nearest->name,
                       nearest->end - nearest->begin, nearest->begin);
}

} // namespace mlir::te::emu
