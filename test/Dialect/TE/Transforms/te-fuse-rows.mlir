// What a reshape splits is copied before it; what it does not is read where it lies.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))' | FileCheck %s

// The rows of a part of the columns, as one: of the part there is a copy.
// CHECK-LABEL: func.func @columns
// CHECK: te.fusion "columns_0"
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [%{{.*}}, 8, 512]
// CHECK-NEXT: te.copy
// CHECK: te.fusion "columns_1"
// CHECK-NOT: te.fusion
func.func @columns(%x: tensor<?x8x768xbf16>) -> tensor<?x4096xbf16> {
  %m = te.dim %x, 0 : tensor<?x8x768xbf16>
  %s = tensor.extract_slice %x[0, 0, 0] [%m, 8, 512] [1, 1, 1] : tensor<?x8x768xbf16> to tensor<?x8x512xbf16>
  %c = tensor.collapse_shape %s [[0], [1, 2]] : tensor<?x8x512xbf16> into tensor<?x4096xbf16>
  %y = arith.negf %c : tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// Taken apart and put together again; rows of which some are left out; a part of a whole dimension that was two.
// CHECK-LABEL: func.func @together
// CHECK-NOT: te.copy
// CHECK: return
func.func @together(%x: tensor<8x768xbf16>, %z: tensor<4x3x64xbf16>) -> (tensor<8x512xbf16>, tensor<8x64xbf16>, tensor<5x64xbf16>) {
  %s = tensor.extract_slice %x[0, 0] [8, 512] [1, 1] : tensor<8x768xbf16> to tensor<8x512xbf16>
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<8x512xbf16> into tensor<4096xbf16>
  %e = tensor.expand_shape %c [[0, 1]] output_shape [8, 512] : tensor<4096xbf16> into tensor<8x512xbf16>
  %y = arith.negf %e : tensor<8x512xbf16>
  %t = tensor.extract_slice %z[0, 0, 0] [4, 2, 64] [1, 1, 1] : tensor<4x3x64xbf16> to tensor<4x2x64xbf16>
  %u = tensor.collapse_shape %t [[0, 1], [2]] : tensor<4x2x64xbf16> into tensor<8x64xbf16>
  %v = arith.negf %u : tensor<8x64xbf16>
  %f = tensor.collapse_shape %z [[0, 1], [2]] : tensor<4x3x64xbf16> into tensor<12x64xbf16>
  %g = tensor.extract_slice %f[2, 0] [5, 64] [1, 1] : tensor<12x64xbf16> to tensor<5x64xbf16>
  %h = arith.negf %g : tensor<5x64xbf16>
  return %y, %v, %h : tensor<8x512xbf16>, tensor<8x64xbf16>, tensor<5x64xbf16>
}

// A part of rows that are not evenly apart: they are copied as they were put together.
// CHECK-LABEL: func.func @part
// CHECK: te.fusion "part_0"
// CHECK: tensor.collapse_shape
// CHECK-NEXT: te.copy
// CHECK: te.fusion "part_1"
// CHECK: tensor.extract_slice %{{.*}}[1, 0] [5, 64]
// CHECK-NOT: te.fusion
func.func @part(%x: tensor<8x3x64xf32>) -> tensor<5x64xf32> {
  %a = tensor.extract_slice %x[0, 0, 0] [8, 2, 64] [1, 1, 1] : tensor<8x3x64xf32> to tensor<8x2x64xf32>
  %b = tensor.collapse_shape %a [[0, 1], [2]] : tensor<8x2x64xf32> into tensor<16x64xf32>
  %c = tensor.extract_slice %b[1, 0] [5, 64] [1, 1] : tensor<16x64xf32> to tensor<5x64xf32>
  %y = arith.negf %c : tensor<5x64xf32>
  return %y : tensor<5x64xf32>
}

// A size that another tensor has may be less than the whole: what it takes is copied before it is put together.
// CHECK-LABEL: func.func @unknown
// CHECK: te.fusion "unknown_0"
// CHECK: tensor.extract_slice
// CHECK-NEXT: te.copy
// CHECK: te.fusion "unknown_1"
// CHECK-NOT: te.fusion
func.func @unknown(%x: tensor<8x?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %n = te.dim %z, 0 : tensor<?xf32>
  %s = tensor.extract_slice %x[0, 0] [8, %n] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<8x?xf32> into tensor<?xf32>
  %y = arith.negf %c : tensor<?xf32>
  return %y : tensor<?xf32>
}
