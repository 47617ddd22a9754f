// RUN: te-toy te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx950}))'

func.func @square(%a: tensor<32x64xbf16>, %b: tensor<64x16xbf16>) -> tensor<32x16xbf16> {
  // expected-error @+1 {{'toy.tril_product' op T1: there are 64 columns of a, but a is M x M, b M x N and the result M x N; make them 32}}
  %c = toy.tril_product %a, %b : tensor<32x64xbf16>, tensor<64x16xbf16> -> tensor<32x16xbf16>
  return %c : tensor<32x16xbf16>
}

// -----

func.func @inner(%a: tensor<32x32xbf16>, %b: tensor<64x16xbf16>) -> tensor<32x16xbf16> {
  // expected-error @+1 {{T1: there are 64 rows of b, but a is M x M, b M x N and the result M x N; make them 32}}
  %c = toy.tril_product %a, %b : tensor<32x32xbf16>, tensor<64x16xbf16> -> tensor<32x16xbf16>
  return %c : tensor<32x16xbf16>
}

// -----

func.func @rows(%a: tensor<?x?xbf16>, %b: tensor<32x16xbf16>) -> tensor<16x16xbf16> {
  // expected-error @+1 {{T1: there are 17 columns of the result, but a is M x M, b M x N and the result M x N; make them 16}}
  %c = toy.tril_product %a, %b : tensor<?x?xbf16>, tensor<32x16xbf16> -> tensor<32x17xbf16>
  return %c : tensor<32x17xbf16>
}

// -----

func.func @elements(%a: tensor<32x32xbf16>, %b: tensor<32x16xf16>) -> tensor<32x16xbf16> {
  // expected-error @+1 {{'toy.tril_product' op failed to verify that all of {a, b} have same element type}}
  %c = toy.tril_product %a, %b : tensor<32x32xbf16>, tensor<32x16xf16> -> tensor<32x16xbf16>
  return %c : tensor<32x16xbf16>
}

// -----

// Schedules are judged by the rules of products.
func.func @nothing(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{the region has a toy.tril_product, and the schedule does not say how it is computed: add matmul = <..>, or leave the schedule to te-schedule (H14)}}
  %d = te.fusion "nothing_0" (%a = %x : tensor<64x64xbf16>) -> (tensor<64x64xbf16>) attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8>} {
    %0 = toy.tril_product %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

func.func @instruction(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{f32_16x16x32_f16 on gfx950 is not for these operands; use f32_32x32x16_bf16 or f32_16x16x32_bf16 or f32_32x32x8_bf16 or f32_16x16x16_bf16 (H14)}}
  %d = te.fusion "instruction_0" (%a = %x : tensor<64x64xbf16>) -> (tensor<64x64xbf16>) attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_f16", k = 64, waves = [2, 2]>>} {
    %0 = toy.tril_product %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

func.func @waves(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{4 waves share 32 rows of the tile, but each needs 16 for f32_16x16x32_bf16; use fewer waves or a larger tile (H15)}}
  %d = te.fusion "waves_0" (%a = %x : tensor<64x64xbf16>) -> (tensor<64x64xbf16>) attributes {schedule = #te.schedule<"gfx950", tile = [32, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [4, 1]>>} {
    %0 = toy.tril_product %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

func.func @split(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{split_k, group_m, workgroups, row_tiles and sweep are not for toy.tril_product; leave them out (H22)}}
  %d = te.fusion "split_0" (%a = %x : tensor<64x64xbf16>) -> (tensor<64x64xbf16>) attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 2]>, grid = <split_k = 2>>} {
    %0 = toy.tril_product %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}
