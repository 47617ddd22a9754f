// Slices and reshapes as views; what no kernel can read is an error that names the remedy.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile,cse)' --verify-diagnostics | FileCheck %s

// Rows evenly apart: a stride. Rows that are not: their numbers.
// CHECK-LABEL: tile.kernel @even_0(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [10], sizes: [%{{.*}}, 20], strides: [40, 1]
// CHECK: tile.load %{{[^ ]*}}[%{{.*}}, %{{.*}}] {divisible = 2 : i64}
// CHECK-NOT: rows(
func.func @even(%x: tensor<?x40xf32>) -> tensor<?x20xf32> {
  %n = te.dim %x, 0 : tensor<?x40xf32>
  %a = tensor.extract_slice %x[0, 10] [%n, 20] [1, 1] : tensor<?x40xf32> to tensor<?x20xf32>
  %y = arith.negf %a : tensor<?x20xf32>
  return %y : tensor<?x20xf32>
}

// -----

// CHECK-LABEL: tile.kernel @uneven_0(
// CHECK: %[[INNER:.*]] = arith.remui
// CHECK: %[[OUTER:.*]] = arith.divui
// CHECK: %[[ROWS:.*]] = arith.select
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [2147483647, 64], strides: [64, 1]
// CHECK: tile.load %{{.*}} rows(%[[ROWS]] : tensor<{{.*}}x1xi32
func.func @uneven(%x: tensor<?x192xf32>) -> tensor<?x64xf32> {
  %n = te.dim %x, 0 : tensor<?x192xf32>
  %a = tensor.extract_slice %x[0, 0] [%n, 128] [1, 1] : tensor<?x192xf32> to tensor<?x128xf32>
  %b = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 2, 64] : tensor<?x128xf32> into tensor<?x2x64xf32>
  %c = tensor.collapse_shape %b [[0, 1], [2]] : tensor<?x2x64xf32> into tensor<?x64xf32>
  %y = arith.negf %c : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// A tile that is read as it lies in memory, then transposed over: of a slice, and of this workgroup's matrix.
// CHECK-LABEL: tile.kernel @turned_0(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [8], sizes: [%{{.*}}, 48], strides: [64, 1]
// CHECK: %[[T:.*]] = tile.load {{.*}} {divisible = 8 : i64} {{.*}} -> tensor<[[C:[0-9]+]]x[[R:[0-9]+]]xbf16
// CHECK: %[[U:.*]] = tile.transpose %[[T]] : {{.*}} -> tensor<[[R]]x[[C]]xbf16
// CHECK: tile.convert_layout %[[U]]
func.func @turned(%x: tensor<?x64xbf16>) -> tensor<48x?xbf16> {
  %n = te.dim %x, 0 : tensor<?x64xbf16>
  %a = tensor.extract_slice %x[0, 8] [%n, 48] [1, 1] : tensor<?x64xbf16> to tensor<?x48xbf16>
  %t = te.permute %a [1, 0] : tensor<?x48xbf16> -> tensor<48x?xbf16>
  %y = arith.negf %t : tensor<48x?xbf16>
  return %y : tensor<48x?xbf16>
}

// -----

// CHECK-LABEL: tile.kernel @matrices_0(
// CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %c1920
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]], sizes: [40, 48], strides: [48, 1]
// CHECK: tile.load {{.*}} {divisible = 16 : i64}
// CHECK: tile.transpose
func.func @matrices(%x: tensor<3x40x48xbf16>) -> tensor<3x48x40xbf16> {
  %t = te.permute %x [0, 2, 1] : tensor<3x40x48xbf16> -> tensor<3x48x40xbf16>
  %y = arith.negf %t : tensor<3x48x40xbf16>
  return %y : tensor<3x48x40xbf16>
}

// -----

// Rows in another order, by their numbers.
// CHECK-LABEL: tile.kernel @ordered_0(
// CHECK: tile.load %{{.*}} rows(
func.func @ordered(%x: tensor<5x7x64xf32>) -> tensor<7x5x64xf32> {
  %t = te.permute %x [1, 0, 2] : tensor<5x7x64xf32> -> tensor<7x5x64xf32>
  %y = arith.negf %t : tensor<7x5x64xf32>
  return %y : tensor<7x5x64xf32>
}

// -----

func.func @last(%x: tensor<2x3x64xf32>) -> tensor<64x2x3xf32> {
  %r = te.fusion "last_0" (%a = %x : tensor<2x3x64xf32>) -> (tensor<64x2x3xf32>) {
    // expected-error @+1 {{'te.permute' moves the last dimension; te-fuse makes such an order of others, outside of regions (V1)}}
    %t = te.permute %a [2, 0, 1] : tensor<2x3x64xf32> -> tensor<64x2x3xf32>
    %y = arith.negf %t : tensor<64x2x3xf32>
    te.yield %y : tensor<64x2x3xf32>
  }
  return %r : tensor<64x2x3xf32>
}

// -----

func.func @around(%x: tensor<6x64xf32>) -> tensor<64x2x3xf32> {
  %r = te.fusion "around_0" (%a = %x : tensor<6x64xf32>) -> (tensor<64x2x3xf32>) {
    %t = te.permute %a [1, 0] : tensor<6x64xf32> -> tensor<64x6xf32>
    // expected-error @+1 {{'tensor.expand_shape' is a view of a transposed one, whose rows lie apart; te.copy that first (V1)}}
    %e = tensor.expand_shape %t [[0], [1, 2]] output_shape [64, 2, 3] : tensor<64x6xf32> into tensor<64x2x3xf32>
    %y = arith.negf %e : tensor<64x2x3xf32>
    te.yield %y : tensor<64x2x3xf32>
  }
  return %r : tensor<64x2x3xf32>
}

// -----

func.func @one(%x: tensor<3x64x32xf32>) -> tensor<3x32x64xf32> {
  %r = te.fusion "one_0" (%a = %x : tensor<3x64x32xf32>) -> (tensor<3x32x64xf32>) {
    %t = te.permute %a [0, 2, 1] : tensor<3x64x32xf32> -> tensor<3x32x64xf32>
    // expected-error @+1 {{reads matrices that lie transposed as one tensor; te.copy them in a region of its own (F9)}}
    %y = te.activation relu %t : tensor<3x32x64xf32> -> tensor<3x32x64xf32>
    te.yield %y : tensor<3x32x64xf32>
  }
  return %r : tensor<3x32x64xf32>
}

// -----

func.func @step(%x: tensor<8x64xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{'tensor.extract_slice' takes elements with a step; kernels read every element between an offset and a size (V1)}}
  %a = tensor.extract_slice %x[0, 0] [8, 32] [1, 2] : tensor<8x64xf32> to tensor<8x32xf32>
  %y = arith.negf %a : tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

#schedule = #te.schedule<"gfx950", tile = [1, 256], waves = 1, vector = 4>
func.func @pieces(%x: tensor<8x64xf32>) -> tensor<256xf32> {
  %r = te.fusion "k" (%v = %x : tensor<8x64xf32>) -> (tensor<256xf32>) attributes {schedule = #schedule} {
    %a = tensor.extract_slice %v[0, 0] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
    // expected-error @+1 {{'tensor.collapse_shape' gives rows whose elements do not lie side by side; keep the last dimension whole in the reshape (V1)}}
    %b = tensor.collapse_shape %a [[0, 1]] : tensor<8x32xf32> into tensor<256xf32>
    %y = arith.negf %b : tensor<256xf32>
    te.yield %y : tensor<256xf32>
  }
  return %r : tensor<256xf32>
}

// -----

#schedule = #te.schedule<"gfx950", tile = [8, 64], waves = 1, vector = 4>
func.func @twice(%x: tensor<8x3x64xf32>) -> tensor<5x64xf32> {
  %r = te.fusion "k" (%v = %x : tensor<8x3x64xf32>) -> (tensor<5x64xf32>) attributes {schedule = #schedule} {
    %a = tensor.extract_slice %v[0, 0, 0] [8, 2, 64] [1, 1, 1] : tensor<8x3x64xf32> to tensor<8x2x64xf32>
    %b = tensor.collapse_shape %a [[0, 1], [2]] : tensor<8x2x64xf32> into tensor<16x64xf32>
    // expected-error @+1 {{'tensor.extract_slice' takes a part of dimension 0, whose elements are not evenly apart in memory; slice before the reshape (V1)}}
    %c = tensor.extract_slice %b[1, 0] [5, 64] [1, 1] : tensor<16x64xf32> to tensor<5x64xf32>
    %y = arith.negf %c : tensor<5x64xf32>
    te.yield %y : tensor<5x64xf32>
  }
  return %r : tensor<5x64xf32>
}

// -----

#schedule = #te.schedule<"gfx950", tile = [8, 64], waves = 1, vector = 4>
func.func @yields_a_view(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x32xf32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x32xf32>) attributes {schedule = #schedule} {
    %y = arith.negf %a : tensor<8x64xf32>
    %s = tensor.extract_slice %a[0, 0] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
    // expected-error @+1 {{value #1 is a view of something else; yield a te.copy of it (F3)}}
    te.yield %y, %s : tensor<8x64xf32>, tensor<8x32xf32>
  }
  return %r#0, %r#1 : tensor<8x64xf32>, tensor<8x32xf32>
}

// -----

#schedule = #te.schedule<"gfx950", tile = [8, 64], waves = 1, vector = 4>
func.func @wide_view(%x: tensor<8x192xf32>) -> tensor<8x64xf32> {
  %r = te.fusion "k" (%a = %x : tensor<8x192xf32>) -> (tensor<8x64xf32>) attributes {schedule = #schedule} {
    %s = tensor.extract_slice %a[0, 0] [8, 128] [1, 1] : tensor<8x192xf32> to tensor<8x128xf32>
    // expected-error @+1 {{operand #0 is a view, but is not read by tiles of its own shape; te.copy it outside of the region (F4)}}
    %y = te.gated_activation swiglu %s : tensor<8x128xf32> -> tensor<8x64xf32>
    te.yield %y : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// -----

// A size of a reshape that is a constant, though its type is dynamic.
// CHECK-LABEL: func.func @constant_size
// CHECK: tile.launch
func.func @constant_size(%x: tensor<?x64xbf16>) -> tensor<?x2x64xbf16> {
  %s = te.dim %x, 1 : tensor<?x64xbf16>
  %y = te.activation silu %x : tensor<?x64xbf16> -> tensor<?x64xbf16>
  %e = tensor.expand_shape %y [[0, 1], [2]] output_shape [%s, 2, 64] : tensor<?x64xbf16> into tensor<?x2x64xbf16>
  %z = te.activation silu %e : tensor<?x2x64xbf16> -> tensor<?x2x64xbf16>
  return %z : tensor<?x2x64xbf16>
}
