// te.partial_amax and te.partial_cast (P1 to P4).

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

#w = #te.scaling<block = [128, 128], scale = f32>
func.func @dynamic(%x: tensor<?xbf16>, %s: tensor<i64>) {
  // expected-error @+1 {{'te.partial_amax' op the whole is '!te.scaled<?x128xf8E4M3FN, #te.scaling<block = [128, 128], scale = f32>>'; it is a !te.scaled of static shape, which says where an element of the shard belongs (P1)}}
  %a = te.partial_amax %x at %s of [!te.scaled<?x128xf8E4M3FN, #w>] : tensor<?xbf16>, tensor<i64> -> tensor<2x1xf32>
  return
}

// -----

func.func @no_scaled(%x: tensor<?xbf16>, %s: tensor<i64>) {
  // expected-error @+1 {{'te.partial_amax' op the whole is 'tensor<128x128xbf16>'; it is a !te.scaled of static shape, which says where an element of the shard belongs (P1)}}
  %a = te.partial_amax %x at %s of [tensor<128x128xbf16>] : tensor<?xbf16>, tensor<i64> -> tensor<1x1xf32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @two_shapes(%x: tensor<?xbf16>, %s: tensor<i64>) {
  // expected-error @+1 {{'te.partial_amax' op the shard is a part of one tensor, but the types in `of` have different shapes: '!te.scaled<32x64xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>' (P1)}}
  %a:2 = te.partial_amax %x at %s of [!te.scaled<64x64xf8E4M3FN, #row>, !te.scaled<32x64xf8E4M3FN, #col>] : tensor<?xbf16>, tensor<i64> -> tensor<64x2xf32>, tensor<1x64xf32>
  return
}

// -----

#t = #te.scaling<tensor, scale = f32>
func.func @per_tensor(%x: tensor<?xbf16>, %s: tensor<i64>) {
  // expected-error @+1 {{shards are cast to fp8 in blocks of the tensor, data and scales linear}}
  %a = te.partial_amax %x at %s of [!te.scaled<64x64xf8E4M3FN, #t>] : tensor<?xbf16>, tensor<i64> -> tensor<f32>
  return
}

// -----

#wt = #te.scaling<block = [128, 128], scale = f32, data_layout = transposed>
func.func @transposed(%x: tensor<?xbf16>, %s: tensor<i64>) {
  // expected-error @+1 {{shards are cast to fp8 in blocks of the tensor, data and scales linear}}
  %a = te.partial_amax %x at %s of [!te.scaled<64x64xf8E4M3FN, #wt>] : tensor<?xbf16>, tensor<i64> -> tensor<1x1xf32>
  return
}

// -----

func.func @no_whole(%x: tensor<?xbf16>, %s: tensor<i64>) {
  // expected-error @+1 {{'te.partial_amax' op `of` has 0 types; give one for each direction, at most two (P2)}}
  "te.partial_amax"(%x, %s) {of = []} : (tensor<?xbf16>, tensor<i64>) -> ()
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @order(%x: tensor<?xbf16>, %s: tensor<i64>) {
  // expected-error @+1 {{'te.partial_amax' op of the two types one is rowwise, the first, and one columnwise (P2)}}
  %a:2 = te.partial_amax %x at %s of [!te.scaled<64x64xf8E4M3FN, #col>, !te.scaled<64x64xf8E4M3FN, #row>] : tensor<?xbf16>, tensor<i64> -> tensor<2x64xf32>, tensor<64x2xf32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @grid(%x: tensor<?xbf16>, %s: tensor<i64>) {
  // expected-error @+1 {{'te.partial_amax' op dimension 1 of amaxes is 2, expected 3: it has one number a block (P3)}}
  %a = te.partial_amax %x at %s of [!te.scaled<64x65xf8E4M3FN, #row>] : tensor<?xbf16>, tensor<i64> -> tensor<64x2xf32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @count(%x: tensor<?xbf16>, %s: tensor<i64>, %e: tensor<64x2xf8E8M0FNU>) {
  // expected-error @+1 {{'te.partial_cast' op there are 2 scales for 1 types in `of`; give one for each (P3)}}
  %a = te.partial_cast %x at %s scales(%e, %e : tensor<64x2xf8E8M0FNU>, tensor<64x2xf8E8M0FNU>) of [!te.scaled<64x64xf8E4M3FN, #row>] : tensor<?xbf16>, tensor<i64> -> tensor<?xf8E4M3FN>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @scale_type(%x: tensor<?xbf16>, %s: tensor<i64>, %e: tensor<64x2xf32>) {
  // expected-error @+1 {{'te.partial_cast' op scales are 'tensor<64x2xf32>', but those of '!te.scaled<64x64xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>' are 'f8E8M0FNU' (P3)}}
  %a = te.partial_cast %x at %s scales(%e : tensor<64x2xf32>) of [!te.scaled<64x64xf8E4M3FN, #row>] : tensor<?xbf16>, tensor<i64> -> tensor<?xf8E4M3FN>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @length(%x: tensor<?xbf16>, %s: tensor<i64>, %e: tensor<64x2xf8E8M0FNU>) {
  // expected-error @+1 {{'te.partial_cast' op dimension 0 of the result is 7, expected ?: it has the shard's length (P4)}}
  %a = te.partial_cast %x at %s scales(%e : tensor<64x2xf8E8M0FNU>) of [!te.scaled<64x64xf8E4M3FN, #row>] : tensor<?xbf16>, tensor<i64> -> tensor<7xf8E4M3FN>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @element(%x: tensor<7xbf16>, %s: tensor<i64>, %e: tensor<64x2xf8E8M0FNU>) {
  // expected-error @+1 {{'te.partial_cast' op the result is 'tensor<7xf8E5M2>', but the elements of the whole are 'f8E4M3FN' (P4)}}
  %a = te.partial_cast %x at %s scales(%e : tensor<64x2xf8E8M0FNU>) of [!te.scaled<64x64xf8E4M3FN, #row>] : tensor<7xbf16>, tensor<i64> -> tensor<7xf8E5M2>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @results(%x: tensor<7xbf16>, %s: tensor<i64>, %e: tensor<64x2xf8E8M0FNU>) {
  // expected-error @+1 {{'te.partial_cast' op there are 2 results for 1 types in `of`; give one for each (P4)}}
  %a:2 = te.partial_cast %x at %s scales(%e : tensor<64x2xf8E8M0FNU>) of [!te.scaled<64x64xf8E4M3FN, #row>] : tensor<7xbf16>, tensor<i64> -> tensor<7xf8E4M3FN>, tensor<7xf8E4M3FN>
  return
}
