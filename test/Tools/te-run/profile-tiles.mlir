// A product's steady state where workgroups compute one tile after another (docs/decisions/0028): of steps without a loop the
// middle half of each tile's, not what lies between two tiles; of a loop its iterations, of the first tiles that have three together.
// RUN: split-file %s %t
// RUN: te-compile %t/few.mlir --target=gfx950 -o %t/few.hsaco
// RUN: te-run %t/few.hsaco --device=emulator --profile=%t/few.json --profile | FileCheck %t/few.mlir
// RUN: FileCheck %t/few.mlir --check-prefix=JSON < %t/few.json
// RUN: te-compile %t/many.mlir --target=gfx950 -o %t/many.hsaco
// RUN: te-run %t/many.hsaco --device=emulator --profile | FileCheck %t/many.mlir
// RUN: te-compile %t/batches.mlir --target=gfx950 -o %t/batches.hsaco
// RUN: te-run %t/batches.hsaco --device=emulator --profile | FileCheck %t/batches.mlir

//--- few.mlir
// CHECK: MFMA busy, middle {{.*}} of each tile: no loop
// JSON-NOT: "loop": {
// JSON: "middle": {
func.func @few(%x: tensor<128x256xbf16>, %w: tensor<128x256xbf16>) -> tensor<128x128xbf16> {
  %d = te.fusion "few_0" (%a = %x : tensor<128x256xbf16>, %b = %w : tensor<128x256xbf16>) -> (tensor<128x128xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_32x32x16_bf16", k = 32, waves = [2, 2]>, pipeline = <stages = 2>, grid = <workgroups = 2>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<128x256xbf16>, tensor<128x256xbf16> -> tensor<128x128xbf16>
    te.yield %0 : tensor<128x128xbf16>
  }
  return %d : tensor<128x128xbf16>
}

//--- many.mlir
// CHECK: MFMA busy, loop {{.*}}% 83 iterations of
func.func @many(%x: tensor<128x8192xbf16>, %w: tensor<128x8192xbf16>) -> tensor<128x128xbf16> {
  %d = te.fusion "many_0" (%a = %x : tensor<128x8192xbf16>, %b = %w : tensor<128x8192xbf16>) -> (tensor<128x128xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_32x32x16_bf16", k = 32, waves = [2, 2]>, pipeline = <stages = 2>, grid = <workgroups = 2>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<128x8192xbf16>, tensor<128x8192xbf16> -> tensor<128x128xbf16>
    te.yield %0 : tensor<128x128xbf16>
  }
  return %d : tensor<128x128xbf16>
}

//--- batches.mlir
// CHECK: MFMA busy, loop {{.*}}% 4 iterations of
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @batches(%x: !te.scaled<128x8192xf4E2M1FN, #row>, %w: !te.scaled<1024x8192xf4E2M1FN, #row>) -> tensor<128x1024xbf16> {
  %d = te.fusion "batches_0" (%a = %x : !te.scaled<128x8192xf4E2M1FN, #row>, %b = %w : !te.scaled<1024x8192xf4E2M1FN, #row>) -> (tensor<128x1024xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 256], waves = 8, vector = 32, matmul = <"scale_f32_32x32x64_f8f6f4", k = 256, waves = [4, 2]>, pipeline = <stages = 2>, grid = <workgroups = 1>>} {
    %0 = te.gemm %a, %b transpose_b : !te.scaled<128x8192xf4E2M1FN, #row>, !te.scaled<1024x8192xf4E2M1FN, #row> -> tensor<128x1024xbf16>
    te.yield %0 : tensor<128x1024xbf16>
  }
  return %d : tensor<128x1024xbf16>
}
