// !te.scaled: what the parser refuses, and rules S5 to S9.

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

// expected-error @+1 {{!te.scaled needs a #te.scaling<...> attribute, not "tensor"}}
func.func private @f(!te.scaled<4x32xf8E4M3FN, "tensor">)

// -----

// expected-error @+1 {{expected ','}}
func.func private @f(!te.scaled<4x32xf8E4M3FN>)

// -----

// S5: the element types.
// expected-error @+1 {{the elements of !te.scaled are f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ or f4E2M1FN, not 'bf16' (S5)}}
func.func private @f(!te.scaled<4x32xbf16, #te.scaling<tensor, scale = f32>>)

// -----

// expected-error @+1 {{the elements of !te.scaled are f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ or f4E2M1FN, not 'f8E8M0FNU' (S5)}}
func.func private @f(!te.scaled<4x32xf8E8M0FNU, #te.scaling<tensor, scale = f32>>)

// -----

// S6: rank 0 has one scale.
// expected-error @+1 {{a tensor of rank 0 has no rows or blocks; its scaling is 'tensor', not 'row' (S6)}}
func.func private @f(!te.scaled<f8E4M3FN, #te.scaling<row, scale = f32>>)

// -----

// expected-error @+1 {{a tensor of rank 0 has no rows or blocks; its scaling is 'tensor', not 'block' (S6)}}
func.func private @f(!te.scaled<f8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>)

// -----

// S7: fp4 is MXFP4.
// expected-error @+1 {{f4E2M1FN elements go with f8E8M0FNU scales (MXFP4), not 'f32' (S7)}}
func.func private @f(!te.scaled<4x32xf4E2M1FN, #te.scaling<tensor, scale = f32>>)

// -----

// S7: MX is OCP; the remedy names the sibling.
// expected-error @+1 {{MX formats are always OCP: with f8E8M0FNU scales use f8E4M3FN instead of 'f8E4M3FNUZ', on every target (S7)}}
func.func private @f(!te.scaled<4x32xf8E4M3FNUZ, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>)

// -----

// expected-error @+1 {{MX formats are always OCP: with f8E8M0FNU scales use f8E5M2 instead of 'f8E5M2FNUZ', on every target (S7)}}
func.func private @f(!te.scaled<4x32xf8E5M2FNUZ, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>)

// -----

// S8: ties are a choice of fp4.
// expected-error @+1 {{ties = away is a rule of f4E2M1FN; 'f8E4M3FN' rounds ties to even (S8)}}
func.func private @f(!te.scaled<4x32xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, ties = away>>)

// -----

// S8: fp4 is packed along its blocks.
// expected-error @+1 {{columnwise f4E2M1FN is packed along the columns: add data_layout = transposed (S8)}}
func.func private @f(!te.scaled<32x32xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>)

// -----

// S9: whole 16 x 16 tiles.
// expected-error @+1 {{data_layout = shuffle_16x16 needs rows that are a multiple of 16, but there are 24; pad the tensor or use data_layout = linear (S9)}}
func.func private @f(!te.scaled<24x64xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>)

// -----

// expected-error @+1 {{data_layout = shuffle_16x16 needs columns that are a multiple of 32, but there are 48; pad the tensor or use data_layout = linear (S9)}}
func.func private @f(!te.scaled<?x48xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>)

// -----

// fp4: 32 bytes are 64 elements.
// expected-error @+1 {{data_layout = shuffle_16x16 needs columns that are a multiple of 64, but there are 96; pad the tensor or use data_layout = linear (S9)}}
func.func private @f(!te.scaled<16x96xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, data_layout = shuffle_16x16>>)

// -----

// S10: of a matrix there is no other.
// expected-error @+1 {{per = matrix is about the matrices of a tensor of rank 3 or more, but the rank is 2; drop it (S10)}}
func.func private @f(!te.scaled<4x64xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, per = matrix>>)

// -----

// S9: each matrix has whole units.
// expected-error @+1 {{data_layout = shuffle_16x16 needs rows that are a multiple of 16, but there are 8; pad the tensor or use data_layout = linear (S9)}}
func.func private @f(!te.scaled<2x8x64xf8E4M3FN, #te.scaling<block = [32, 32], scale = f8E8M0FNU, data_layout = shuffle_16x16, per = matrix>>)
