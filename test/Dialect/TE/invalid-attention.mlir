// te.attention (K1 to K6).
// RUN: te-opt %s --split-input-file --verify-diagnostics

func.func @rank(%q: tensor<2x9x4x64xbf16>, %k: tensor<9x4x64xbf16>) {
  // expected-error @+1 {{'te.attention' op k has rank 3, expected 4: batch, sequence, head and its elements (K1)}}
  %o, %l = te.attention bshd %q, %k, %q : tensor<2x9x4x64xbf16>, tensor<9x4x64xbf16>, tensor<2x9x4x64xbf16> -> tensor<2x9x4x64xbf16>, tensor<2x4x9xf32>
  return
}

// -----

func.func @batches(%q: tensor<2x9x4x64xbf16>, %k: tensor<3x9x4x64xbf16>) {
  // expected-error @+1 {{'te.attention' op q has 2 batches and k 3; give both as many (K2)}}
  %o, %l = te.attention bshd %q, %k, %k : tensor<2x9x4x64xbf16>, tensor<3x9x4x64xbf16>, tensor<3x9x4x64xbf16> -> tensor<2x9x4x64xbf16>, tensor<2x4x9xf32>
  return
}

// -----

func.func @keys(%q: tensor<2x9x4x64xbf16>, %k: tensor<2x8x4x64xbf16>) {
  // expected-error @+1 {{'te.attention' op k has 8 keys and v 9; give both as many (K2)}}
  %o, %l = te.attention bshd %q, %k, %q : tensor<2x9x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x9x4x64xbf16> -> tensor<2x9x4x64xbf16>, tensor<2x4x9xf32>
  return
}

// -----

func.func @heads(%q: tensor<2x9x6x64xbf16>, %k: tensor<2x9x4x64xbf16>) {
  // expected-error @+1 {{'te.attention' op q has 6 heads and k 4, but each head of k is for as many of q; give q a multiple (K2)}}
  %o, %l = te.attention bshd %q, %k, %k : tensor<2x9x6x64xbf16>, tensor<2x9x4x64xbf16>, tensor<2x9x4x64xbf16> -> tensor<2x9x6x64xbf16>, tensor<2x6x9xf32>
  return
}

// -----

func.func @dynamic_heads(%q: tensor<2x9x?x64xbf16>) {
  // expected-error @+1 {{'te.attention' op the number of heads of q is not known; give it a static size (K2)}}
  %o, %l = te.attention bshd %q, %q, %q : tensor<2x9x?x64xbf16>, tensor<2x9x?x64xbf16>, tensor<2x9x?x64xbf16> -> tensor<2x9x?x64xbf16>, tensor<2x?x9xf32>
  return
}

// -----

func.func @size(%q: tensor<2x9x4x64xbf16>, %k: tensor<2x9x4x128xbf16>) {
  // expected-error @+1 {{'te.attention' op q has 64 elements a head and k 128; give both as many (K3)}}
  %o, %l = te.attention bshd %q, %k, %q : tensor<2x9x4x64xbf16>, tensor<2x9x4x128xbf16>, tensor<2x9x4x64xbf16> -> tensor<2x9x4x64xbf16>, tensor<2x4x9xf32>
  return
}

// -----

func.func @no_size(%q: tensor<2x9x4x0xbf16>) {
  // expected-error @+1 {{'te.attention' op the size of a head of q is 0; give it a static size (K3)}}
  %o, %l = te.attention bshd %q, %q, %q : tensor<2x9x4x0xbf16>, tensor<2x9x4x0xbf16>, tensor<2x9x4x0xbf16> -> tensor<2x9x4x0xbf16>, tensor<2x4x9xf32>
  return
}

// -----

func.func @result(%q: tensor<2x9x4x64xbf16>, %v: tensor<2x9x4x32xbf16>) {
  // expected-error @+1 {{'te.attention' op dimension 3 of the result is 64, expected 32: it has q's shape, and heads of v's size (K4)}}
  %o, %l = te.attention bshd %q, %q, %v : tensor<2x9x4x64xbf16>, tensor<2x9x4x64xbf16>, tensor<2x9x4x32xbf16> -> tensor<2x9x4x64xbf16>, tensor<2x4x9xf32>
  return
}

// -----

func.func @lse(%q: tensor<9x2x4x64xbf16>) {
  // expected-error @+1 {{'te.attention' op dimension 0 of lse is 9, expected 2: it is (batch, head, query) (K4)}}
  %o, %l = te.attention sbhd %q, %q, %q : tensor<9x2x4x64xbf16>, tensor<9x2x4x64xbf16>, tensor<9x2x4x64xbf16> -> tensor<9x2x4x64xbf16>, tensor<9x2x4xf32>
  return
}

// -----

func.func @mixed(%q: tensor<2x9x4x64xbf16>, %k: tensor<2x9x4x64xf16>) {
  // expected-error @+1 {{'te.attention' op q has elements of 'bf16' and k of 'f16'; convert one of them (arith.truncf) (K5)}}
  %o, %l = te.attention bshd %q, %k, %q : tensor<2x9x4x64xbf16>, tensor<2x9x4x64xf16>, tensor<2x9x4x64xbf16> -> tensor<2x9x4x64xbf16>, tensor<2x4x9xf32>
  return
}

// -----

func.func @f32(%q: tensor<2x9x4x64xf32>) {
  // expected-error @+1 {{'te.attention' op q, k and v are f32, whose products matrix instructions do not have; convert them to bf16 or f16 (K5)}}
  %o, %l = te.attention bshd %q, %q, %q : tensor<2x9x4x64xf32>, tensor<2x9x4x64xf32>, tensor<2x9x4x64xf32> -> tensor<2x9x4x64xf32>, tensor<2x4x9xf32>
  return
}

// -----

func.func @scale(%q: tensor<2x9x4x64xbf16>) {
  // expected-error @+1 {{'te.attention' op scale is infinite; give a finite one, or leave it out (K6)}}
  %o, %l = te.attention bshd %q, %q, %q {scale = 0x7F800000 : f32} : tensor<2x9x4x64xbf16>, tensor<2x9x4x64xbf16>, tensor<2x9x4x64xbf16> -> tensor<2x9x4x64xbf16>, tensor<2x4x9xf32>
  return
}
