// #te.scaling: what the parser refuses, and rules S1 to S4 and S10.

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

// The granularity is a keyword.
// expected-error @+1 {{unknown granularity 'column'; it is one of tensor, row, block = [R, C]}}
#s = #te.scaling<column, scale = f32>

// -----

// A block has two sizes.
// expected-error @+1 {{a block has two sizes, [rows, columns], but 1 are given}}
#s = #te.scaling<block = [32], scale = f8E8M0FNU>

// -----

// expected-error @+1 {{a block has two sizes, [rows, columns], but 3 are given}}
#s = #te.scaling<block = [1, 1, 32], scale = f8E8M0FNU>

// -----

// expected-error @+1 {{expected '='}}
#s = #te.scaling<block, scale = f8E8M0FNU>

// -----

// expected-error @+1 {{#te.scaling needs a scale type: write 'scale = f32' or 'scale = f8E8M0FNU'}}
#s = #te.scaling<tensor>

// -----

// expected-error @+1 {{unknown key 'scales' in #te.scaling; the keys are scale, rounding, ties, scale_layout, data_layout}}
#s = #te.scaling<tensor, scales = f32>

// -----

// expected-error @+1 {{unknown rounding 'up'; it is one of nearest, pow2 (f32 scales), rceil, floor, even, ceil (f8E8M0FNU)}}
#s = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = up>

// -----

// expected-error @+1 {{unknown ties 'odd'; it is one of even, away}}
#s = #te.scaling<block = [1, 32], scale = f8E8M0FNU, ties = odd>

// -----

// expected-error @+1 {{unknown scale_layout 'blocked'; it is one of linear, blocked_32x4x4, e8m0_shuffle}}
#s = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked>

// -----

// expected-error @+1 {{unknown data_layout 'column_major'; it is one of linear, transposed, shuffle_16x16}}
#s = #te.scaling<tensor, scale = f32, data_layout = column_major>

// -----

// expected-error @+1 {{expected '>'}}
#s = #te.scaling<tensor, scale = f32 rounding = pow2>

// -----

// S1: scale types are two.
// expected-error @+1 {{scales are f32 or f8E8M0FNU, not 'bf16' (S1)}}
#s = #te.scaling<tensor, scale = bf16>

// -----

// S1: E8M0 scales are those of blocks.
// expected-error @+1 {{tensor scaling has f32 scales; f8E8M0FNU scales go with block = [1, 32], [32, 1] or [32, 32] (S1)}}
#s = #te.scaling<tensor, scale = f8E8M0FNU>

// -----

// expected-error @+1 {{row scaling has f32 scales; f8E8M0FNU scales go with block = [1, 32], [32, 1] or [32, 32] (S1)}}
#s = #te.scaling<row, scale = f8E8M0FNU>

// -----

// S1: 32 goes with E8M0.
// expected-error @+1 {{block = [1, 128] with 'f8E8M0FNU' scales: legal are [1, 32], [32, 1] and [32, 32]; f8E8M0FNU goes with 32, f32 with 128 (S1)}}
#s = #te.scaling<block = [1, 128], scale = f8E8M0FNU>

// -----

// S1: and 128 with f32.
// expected-error @+1 {{block = [1, 32] with 'f32' scales: legal are [1, 128], [128, 1] and [128, 128]; f8E8M0FNU goes with 32, f32 with 128 (S1)}}
#s = #te.scaling<block = [1, 32], scale = f32>

// -----

// S1: one element is no block.
// expected-error @+1 {{block = [1, 1] with 'f32' scales: legal are [1, 128], [128, 1] and [128, 128]; f8E8M0FNU goes with 32, f32 with 128 (S1)}}
#s = #te.scaling<block = [1, 1], scale = f32>

// -----

// expected-error @+1 {{block = [-1, -32] with 'f8E8M0FNU' scales: legal are [1, 32], [32, 1] and [32, 32]; f8E8M0FNU goes with 32, f32 with 128 (S1)}}
#s = #te.scaling<block = [-1, -32], scale = f8E8M0FNU>

// -----

// S2: roundings of f32 scales, and of E8M0 scales.
// expected-error @+1 {{rounding = rceil does not go with 'f32' scales; use nearest or pow2 (S2)}}
#s = #te.scaling<tensor, scale = f32, rounding = rceil>

// -----

// expected-error @+1 {{rounding = pow2 does not go with 'f8E8M0FNU' scales; use rceil, floor, even or ceil (S2)}}
#s = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = pow2>

// -----

// S2: a row is divided by its scale.
// expected-error @+1 {{row scaling divides by amax / largest as it is; drop rounding = pow2 (S2)}}
#s = #te.scaling<row, scale = f32, rounding = pow2>

// -----

// S3: only E8M0 bytes are reordered.
// expected-error @+1 {{scale_layout = blocked_32x4x4 orders f8E8M0FNU bytes; f32 scales are linear (S3)}}
#s = #te.scaling<block = [1, 128], scale = f32, scale_layout = blocked_32x4x4>

// -----

// expected-error @+1 {{scale_layout = e8m0_shuffle orders f8E8M0FNU bytes; f32 scales are linear (S3)}}
#s = #te.scaling<tensor, scale = f32, scale_layout = e8m0_shuffle>

// -----

// S4: a transposed copy has no scale along K.
// expected-error @+1 {{data_layout = transposed stores (K, M), so the scale must not run along K: use tensor, block = [R, 1] or block = [R, R] (S4)}}
#s = #te.scaling<row, scale = f32, data_layout = transposed>

// -----

// expected-error @+1 {{data_layout = transposed stores (K, M), so the scale must not run along K: use tensor, block = [R, 1] or block = [R, R] (S4)}}
#s = #te.scaling<block = [1, 32], scale = f8E8M0FNU, data_layout = transposed>

// -----

// S10: a row is a row of its matrix anyway, and a tensor's scale is one.
// expected-error @+1 {{per = matrix says what blocks are of, but the scaling is 'row'; drop it, or give blocks (S10)}}
#s = #te.scaling<row, scale = f32, per = matrix>

// -----

// expected-error @+1 {{per = matrix says what blocks are of, but the scaling is 'tensor'; drop it, or give blocks (S10)}}
#s = #te.scaling<tensor, scale = f32, per = matrix>

// -----

// expected-error @+1 {{unknown scope 'expert'; it is one of tensor, matrix}}
#s = #te.scaling<block = [32, 1], scale = f8E8M0FNU, per = expert>
