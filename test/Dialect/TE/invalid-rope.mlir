// te.rope and te.rope_bwd: R1 to R5.

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

func.func @r1_rank(%x: tensor<?x8x64xbf16>, %f: tensor<1024x32xf32>) {
  // expected-error @+1 {{'te.rope' op the input has rank 3, but sbhd has a dimension for each letter (R1)}}
  %y = te.rope sbhd %x, %f : tensor<?x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x8x64xbf16>
  return
}

// -----

func.func @r1_thd(%x: tensor<?x2x8x64xbf16>, %f: tensor<1024x32xf32>, %c: tensor<5xi32>) {
  // expected-error @+1 {{'te.rope' op the input has rank 4, but thd has a dimension for each letter (R1)}}
  %y = te.rope thd %x, %f cu_seqlens(%c : tensor<5xi32>) : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x2x8x64xbf16>
  return
}

// -----

func.func @r1_result(%x: tensor<?x2x8x64xbf16>, %f: tensor<1024x32xf32>) {
  // expected-error @+1 {{'te.rope' op dimension 2 of the result is 4, expected 8: it has the input's shape (R1)}}
  %y = te.rope sbhd %x, %f : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x2x4x64xbf16>
  return
}

// -----

func.func @r1_backward(%x: tensor<?x2x8x64xbf16>, %f: tensor<1024x32xf32>) {
  // expected-error @+1 {{'te.rope_bwd' op dimension 0 of the result is 7, expected ?: it has the input's shape (R1)}}
  %y = te.rope_bwd sbhd %x, %f : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<7x2x8x64xbf16>
  return
}

// -----

func.func @r2_odd(%x: tensor<?x2x8x64xbf16>, %f: tensor<?x31xf32>) {
  // expected-error @+1 {{'te.rope' op freqs have 31 columns; columns are rotated in pairs, so that their number is even (R2)}}
  %y = te.rope sbhd %x, %f : tensor<?x2x8x64xbf16>, tensor<?x31xf32> -> tensor<?x2x8x64xbf16>
  return
}

// -----

func.func @r2_wide(%x: tensor<?x2x8x64xbf16>, %f: tensor<?x66xf32>) {
  // expected-error @+1 {{'te.rope' op freqs have 66 columns, but the input has 64; give as many columns as are rotated (R2)}}
  %y = te.rope sbhd %x, %f : tensor<?x2x8x64xbf16>, tensor<?x66xf32> -> tensor<?x2x8x64xbf16>
  return
}

// -----

func.func @r2_type(%x: tensor<?x2x8x64xbf16>, %f: tensor<?x32xbf16>) {
  // expected-error @+1 {{operand #1 must be 2D tensor of 32-bit float values, but got 'tensor<?x32xbf16>'}}
  %y = te.rope sbhd %x, %f : tensor<?x2x8x64xbf16>, tensor<?x32xbf16> -> tensor<?x2x8x64xbf16>
  return
}

// -----

func.func @r3_sbhd(%x: tensor<?x2x8x64xbf16>, %f: tensor<1024x32xf32>, %p: tensor<3xi32>) {
  // expected-error @+1 {{'te.rope' op start_positions has 3 number(s), but there are 2 sequence(s); give one each (R3)}}
  %y = te.rope sbhd %x, %f start_positions(%p : tensor<3xi32>) : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x2x8x64xbf16>
  return
}

// -----

func.func @r3_thd(%x: tensor<?x8x64xbf16>, %f: tensor<1024x32xf32>, %p: tensor<5xi32>, %c: tensor<5xi32>) {
  // expected-error @+1 {{'te.rope' op start_positions has 5 number(s), but there are 4 sequence(s); give one each (R3)}}
  %y = te.rope thd %x, %f start_positions(%p : tensor<5xi32>) cu_seqlens(%c : tensor<5xi32>) : tensor<?x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x8x64xbf16>
  return
}

// -----

func.func @r4_missing(%x: tensor<?x8x64xbf16>, %f: tensor<1024x32xf32>) {
  // expected-error @+1 {{'te.rope' op thd and cu_seqlens go together: they say where the sequences start; add cu_seqlens(..) (R4)}}
  %y = te.rope thd %x, %f : tensor<?x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x8x64xbf16>
  return
}

// -----

func.func @r4_needless(%x: tensor<?x2x8x64xbf16>, %f: tensor<1024x32xf32>, %c: tensor<5xi32>) {
  // expected-error @+1 {{'te.rope' op thd and cu_seqlens go together: they say where the sequences start; drop cu_seqlens (R4)}}
  %y = te.rope bshd %x, %f cu_seqlens(%c : tensor<5xi32>) : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x2x8x64xbf16>
  return
}

// -----

func.func @r4_empty(%x: tensor<?x8x64xbf16>, %f: tensor<1024x32xf32>, %c: tensor<0xi32>) {
  // expected-error @+1 {{'te.rope' op cu_seqlens is empty; it has one number more than there are sequences (R4)}}
  %y = te.rope thd %x, %f cu_seqlens(%c : tensor<0xi32>) : tensor<?x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x8x64xbf16>
  return
}

// -----

func.func @r5_rank(%x: tensor<?x2x8x64xbf16>, %f: tensor<1024x32xf32>) {
  // expected-error @+1 {{'te.rope' op cp_rank is 2 and cp_size 2; ranks count from 0 to cp_size - 1 (R5)}}
  %y = te.rope sbhd %x, %f {cp_size = 2 : i64, cp_rank = 2 : i64} : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x2x8x64xbf16>
  return
}

// -----

func.func @r5_size(%x: tensor<?x2x8x64xbf16>, %f: tensor<1024x32xf32>) {
  // expected-error @+1 {{'te.rope_bwd' op cp_rank is 0 and cp_size 0; ranks count from 0 to cp_size - 1 (R5)}}
  %y = te.rope_bwd sbhd %x, %f {cp_size = 0 : i64, cp_rank = 0 : i64} : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x2x8x64xbf16>
  return
}

// -----

func.func @r5_odd(%x: tensor<2x63x8x64xf32>, %f: tensor<1024x32xf32>) {
  // expected-error @+1 {{'te.rope' op the tensor holds 63 tokens of a sequence; with cp_size > 1 these are two chunks of one size, and their number is even (R5)}}
  %y = te.rope bshd %x, %f {cp_size = 2 : i64, cp_rank = 1 : i64} : tensor<2x63x8x64xf32>, tensor<1024x32xf32> -> tensor<2x63x8x64xf32>
  return
}
