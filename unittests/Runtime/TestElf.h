//===- TestElf.h - makes small artefacts for tests -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_RUNTIME_TESTELF_H
#define TE_UNITTESTS_RUNTIME_TESTELF_H

#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace mlir::te::rt {

/// An ELF64 image with the section `name` and the section names, and nothing
/// else: file header, contents, names, section headers.
inline std::vector<uint8_t> makeElf(const std::string &name,
                                    const std::string &contents) {
  std::string names = std::string(1, '\0') + name + '\0' + ".shstrtab" + '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = sizeof(header);
  sections[1].sh_size = contents.size();
  sections[2].sh_name = name.size() + 2;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sizeof(header) + contents.size();
  sections[2].sh_size = names.size();
  header.e_shoff = sections[2].sh_offset + names.size();
  std::vector<uint8_t> image(header.e_shoff + sizeof(sections));
  std::memcpy(image.data(), &header, sizeof(header));
  std::memcpy(image.data() + sizeof(header), contents.data(), contents.size());
  std::memcpy(image.data() + sections[2].sh_offset, names.data(), names.size());
  std::memcpy(image.data() + header.e_shoff, sections, sizeof(sections));
  return image;
}

/// PTX with that manifest, as te-compile writes it: each line a comment.
inline std::vector<uint8_t> makePtx(const std::string &manifest) {
  std::string text = "// te.manifest begin\n// ";
  for (char c : manifest)
    text += c == '\n' ? std::string("\n// ") : std::string(1, c);
  text += "\n// te.manifest end\n.version 8.0\n.target sm_90a\n"
          ".address_size 64\n";
  return {text.begin(), text.end()};
}

/// A manifest that uses every feature.
inline const char *const kManifest = R"({
 "te_manifest": 2, "producer": "te-mlir 0.1.0", "target": "gfx950",
 "source": "module {}",
 "entries": [{"name": "quantize", "dims": ["M", "K"],
   "buffers": [
     {"kind": "argument", "name": "x", "dtype": "bf16", "shape": ["M", "K"]},
     {"kind": "argument", "name": "noop", "dtype": "f32", "shape": []},
     {"kind": "result", "name": "result0.data", "dtype": "f8E4M3FN",
      "shape": ["M", "K"]},
     {"kind": "result", "name": "result0.scale", "dtype": "f8E8M0FNU",
      "shape": [["roundup", "M", 128], ["roundup", ["ceildiv", "K", 32], 4]]},
     {"kind": "workspace", "name": "ws0", "dtype": "i8",
      "shape": [["mul", "M", 4]]}],
   "arguments": [
     {"name": "x", "type": "tensor<?x?xbf16>", "shape": ["M", "K"],
      "buffers": [0]},
     {"name": "noop", "type": "tensor<f32>", "shape": [], "buffers": [1]}],
   "results": [{"name": "result0", "type": "!te.scaled<?x?xf8E4M3FN, #s>",
     "shape": ["M", "K"], "buffers": [2, 3]}],
   "steps": [{"kernel": "quantize_0", "grid": [["ceildiv", "M", 4], 1, 1],
     "block": [256, 1, 1], "dynamic_lds": 0,
     "args": [{"buffer": 0}, {"buffer": 2}, {"i32": "M"}, {"buffer": 4},
              {"f32": 0.5}, {"i64": ["mul", "M", "K"]}]}]}],
 "kernels": [{"name": "quantize_0", "vgprs": 32, "sgprs": 24, "agprs": 0,
   "lds": 0, "scratch": 0, "kernarg_bytes": 48}]})";

} // namespace mlir::te::rt

#endif // TE_UNITTESTS_RUNTIME_TESTELF_H
