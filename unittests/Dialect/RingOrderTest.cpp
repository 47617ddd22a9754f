//===- RingOrderTest.cpp - how tiles lie in a ring of LDS -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/RingOrder.h"

#include "te/Dialect/Tile/IR/MMALayout.h"

#include "gtest/gtest.h"

using namespace mlir::te;
using namespace mlir::te::tile;

/// Rows of a tile lie across what the instruction sums over: reads of LDS
/// transpose where the chip can, without conflicts, and direct loads fill it.
TEST(RingOrder, TransposesAcrossRows) {
  for (const char *name :
       {"f32_16x16x32_bf16", "f32_32x32x16_f16", "f32_16x16x32_fp8",
        "scale_f32_16x16x128_f8f6f4", "scale_f32_32x32x64_f8f6f4"}) {
    const MMA &mma = *MMA::lookup(name);
    MMAFormat format = mma.formats.front();
    int64_t bytes =
        format == MMAFormat::BF16 || format == MMAFormat::F16 ? 2 : 1;
    for (int64_t outer : {128, 256}) {
      LinearLayout taken = getMMAOperandLayout(mma, format, MMASide::A, outer,
                                               mma.k, {2, 2})
                               .transpose(),
                   source =
                       LinearLayout::rowMajor({128, outer}, 16 / bytes, 6, 2);
      RingOrder order =
          getRingOrder(source, taken, bytes, *Target::lookup("gfx950"));
      EXPECT_TRUE(order.transposes) << name;
      EXPECT_EQ(order.shared.getVectorElements() * bytes, 8);
      EXPECT_EQ(order.shared.getRunElements() * bytes, 16);
      EXPECT_EQ(order.shared.conflicts(order.reads), 0) << name;
      EXPECT_TRUE(order.shared.getStreaming({128, outer}, 16, 6, 2)) << name;
      EXPECT_FALSE(getRingOrder(source, taken, bytes, *Target::lookup("gfx942"))
                       .transposes);
    }
  }
}

/// Along K there is nothing to transpose; f32 has no such reads.
TEST(RingOrder, ReadsPlainly) {
  const Target &chip = *Target::lookup("gfx950");
  for (auto [name, bytes] :
       {std::pair("f32_32x32x16_bf16", 2), {"f32_32x32x2_f32", 4}}) {
    const MMA &mma = *MMA::lookup(name);
    LinearLayout taken = getMMAOperandLayout(mma, mma.formats.front(),
                                             MMASide::B, 128, mma.k, {1, 2});
    if (bytes == 4)
      taken = taken.transpose();
    LinearLayout::Bases shape = {128, 64};
    if (bytes == 4)
      std::swap(shape[0], shape[1]);
    LinearLayout source = LinearLayout::rowMajor(shape, 16 / bytes, 6, 1);
    RingOrder order = getRingOrder(source, taken, bytes, chip);
    EXPECT_FALSE(order.transposes) << name;
    EXPECT_EQ(order.reads, taken.embed(shape)) << name;
  }
}
