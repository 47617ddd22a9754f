//===- DecodeTest.cpp - the runtime's formats against LLVM's -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Formats.h"
#include "te/Runtime/Formats.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>

using namespace mlir::te;
using rt::DType;

// Two decoders: LLVM's here, the runtime's plain one where results are judged.
TEST(Formats, TheRuntimeReadsTheSameValues) {
  for (DType type : {DType::F4E2M1FN, DType::F8E4M3FN, DType::F8E4M3FNUZ,
                     DType::F8E5M2, DType::F8E5M2FNUZ, DType::F8E8M0FNU,
                     DType::BF16, DType::F16, DType::F32}) {
    unsigned bits = ref::getFormat(type).bits;
    // Every code; of f32 each combination of its upper half and a few lower.
    for (uint32_t i = 0; i < 1u << std::min(bits, 16u); ++i)
      for (uint32_t low : {0x0000u, 0x0001u, 0xFFFFu}) {
        uint32_t code = bits == 32 ? i << 16 | low : i;
        double expected = ref::decode(type, code),
               found = rt::decode(type, code);
        if (std::isnan(expected))
          ASSERT_TRUE(std::isnan(found)) << int(type) << " " << code;
        else
          ASSERT_EQ(std::bit_cast<uint64_t>(expected),
                    std::bit_cast<uint64_t>(found))
              << int(type) << " " << code;
      }
  }
}
