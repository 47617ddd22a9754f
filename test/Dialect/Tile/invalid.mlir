// Rules T1 to T19, and what the parser of #tile.layout refuses.

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

// expected-error @+1 {{a basis has one coordinate a dimension: 2 expected, 1 given}}
#l = #tile.layout<shape = [4, 4], register = [[1]], lane = [], wave = []>

// -----

// expected-error @+1 {{basis coordinate 4 is outside of the dimension's 4}}
#l = #tile.layout<shape = [4, 4], register = [[0, 4]], lane = [], wave = []>

// -----

// expected-error @+1 {{basis coordinate -1 is outside of the dimension's 4}}
#l = #tile.layout<shape = [4, 4], register = [[-1, 0]], lane = [], wave = []>

// -----

// expected-error @+1 {{expected 'register'}}
#l = #tile.layout<shape = [4, 4], lane = [], wave = []>

// -----

// expected-error @+1 {{dimension 1 of the tile is 3; tile sizes are powers of two (T1)}}
#l = #tile.layout<shape = [4, 3], register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [], wave = []>

// -----

// expected-error @+1 {{dimension 0 of the tile is 0; tile sizes are powers of two (T1)}}
#l = #tile.layout<shape = [0], register = [], lane = [], wave = []>

// -----

// expected-error @+1 {{a layout has at most 16 bits of registers, lanes and waves each (T1)}}
#l = #tile.layout<shape = [1], register = [], lane = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]], wave = []>

// -----

// expected-error @+1 {{the layout does not cover the tile: its bases reach fewer than all 16 elements (T2)}}
#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0]], wave = []>

// -----

// Three bases that span two bits only.
// expected-error @+1 {{the layout does not cover the tile: its bases reach fewer than all 8 elements (T2)}}
#l = #tile.layout<shape = [8], register = [[1]], lane = [[2], [3]], wave = []>

// -----

// expected-error @+1 {{the layout is for another shape than the tensor's (T3)}}
func.func private @f(tensor<4x4xf32, #tile.layout<shape = [4, 2], register = [[0, 1]], lane = [[1, 0], [2, 0]], wave = []>>)

// -----

// expected-error @+1 {{'tile.kernel' op waves = 3 is not a power of two (T4)}}
tile.kernel @k() attributes {target = "gfx950", waves = 3 : i64} {
}

// -----

// expected-error @+1 {{'tile.kernel' op waves = 0 is not a power of two (T4)}}
tile.kernel @k() attributes {target = "gfx950", waves = 0 : i64} {
}

// -----

// expected-error @+1 {{requires attribute 'target'}}
tile.kernel @k() attributes {waves = 1 : i64} {
}

// -----

// expected-error @+1 {{'tile.kernel' op argument #1 is 'i32'; a kernel takes rank-0 memrefs (pointers) and index (sizes) (T5)}}
tile.kernel @k(%m: index, %n: i32) attributes {target = "gfx950", waves = 1 : i64} {
}

// -----

// expected-error @+1 {{'tile.kernel' op argument #0 is 'memref<4xf32>'; a kernel takes rank-0 memrefs (pointers) and index (sizes) (T5)}}
tile.kernel @k(%x: memref<4xf32>) attributes {target = "gfx950", waves = 1 : i64} {
}

// -----

func.func @launch_scalar(%n: index) {
  // expected-error @+1 {{'tile.launch' op results are tensors or !te.scaled, not 'f32' (T6)}}
  %r = tile.launch @k grid(%n, %n) ins() -> f32
  return
}

// -----

func.func @launch_shape(%n: index) {
  // expected-error @+1 {{'tile.launch' op the results have 2 dynamic dimensions, but shape(...) gives 1 (T6)}}
  %r = tile.launch @k grid(%n, %n) ins() shape(%n) -> tensor<?x?xf32>
  return
}

// -----

func.func @launch_inits(%n: index, %a: tensor<f32>) {
  // expected-error @+1 {{'tile.launch' op 2 inits but 1 results; each init becomes the buffer of one of the last results (T6)}}
  %r = tile.launch @k grid(%n, %n) ins() inits(%a, %a : tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @launch_init_type(%n: index, %a: tensor<f32>) {
  // expected-error @+1 {{'tile.launch' op an init of type 'tensor<f32>' cannot be the buffer of a result of type 'tensor<4xf32>' (T6)}}
  %r = tile.launch @k grid(%n, %n) ins() inits(%a : tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// A !te.scaled value is two buffers.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @launch_arguments(%n: index, %q: !te.scaled<4x32xf8E4M3FN, #row>) {
  // expected-error @+1 {{'tile.launch' op gives 3 buffers and 1 sizes, but kernel k takes 3 arguments (T7)}}
  %r = tile.launch @k grid(%n, %n) ins(%q : !te.scaled<4x32xf8E4M3FN, #row>) sizes(%n) -> tensor<4x32xf32>
  return
}
tile.kernel @k(%a: memref<f8E4M3FN>, %b: memref<i8>, %c: memref<f32>) attributes {target = "gfx950", waves = 1 : i64} {
}

// -----

#b = #tile.layout<shape = [1, 1], register = [], lane = [[0, 0]], wave = []>
func.func @no_layout(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'tile.reduce' op 'tensor<4x4xf32>' has no #tile.layout; every tile says which lane holds what (T8)}}
  %r = tile.reduce maxnum %x block [4, 4] : tensor<4x4xf32> -> tensor<1x1xf32, #b>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
func.func @no_result_layout(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.convert_layout' op 'tensor<4x4xf32>' has no #tile.layout; every tile says which lane holds what (T8)}}
  %r = tile.convert_layout %x : tensor<4x4xf32, #l> -> tensor<4x4xf32>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []>
func.func @reduce_block_rank(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.reduce' op one block size for each of the 2 dimensions (T9)}}
  %r = tile.reduce maxnum %x block [4] : tensor<4x4xf32, #l> -> tensor<4x1xf32, #b>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []>
func.func @reduce_nibbles_type(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.reduce' op nibbles are two neighbouring i8 codes that one wave holds (T9)}}
  %r = tile.reduce nibbles %x block [1, 4] : tensor<4x4xf32, #l> -> tensor<4x1xf32, #b>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []>
func.func @reduce_nibbles_block(%x: tensor<4x4xi8, #l>) {
  // expected-error @+1 {{'tile.reduce' op nibbles are two neighbouring i8 codes that one wave holds (T9)}}
  %r = tile.reduce nibbles %x block [1, 4] : tensor<4x4xi8, #l> -> tensor<4x1xi8, #b>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[2, 0]], wave = [[1, 0]]>
#b = #tile.layout<shape = [2, 4], register = [[0, 1], [0, 2]], lane = [[1, 0]], wave = [[0, 0]]>
func.func @reduce_nibbles_waves(%x: tensor<4x4xi8, #l>) {
  // expected-error @+1 {{'tile.reduce' op nibbles are two neighbouring i8 codes that one wave holds (T9)}}
  %r = tile.reduce nibbles %x block [2, 1] : tensor<4x4xi8, #l> -> tensor<2x4xi8, #b>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []>
func.func @reduce_block_size(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.reduce' op block size 3 of dimension 1 is not a power of two that divides the tile's 4 (T9)}}
  %r = tile.reduce maxnum %x block [1, 3] : tensor<4x4xf32, #l> -> tensor<4x1xf32, #b>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []>
func.func @reduce_block_zero(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.reduce' op block size 0 of dimension 1 is not a power of two that divides the tile's 4 (T9)}}
  %r = tile.reduce maxnum %x block [1, 0] : tensor<4x4xf32, #l> -> tensor<4x1xf32, #b>
  return
}

// -----

// The message gives the layout that is right.
#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [[1, 0]], lane = [[2, 0]], wave = []>
func.func @reduce_layout(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.reduce' op the blocks' layout must be the elements' layout, projected; expected #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []> (T9)}}
  %r = tile.reduce maxnum %x block [1, 4] : tensor<4x4xf32, #l> -> tensor<4x1xf32, #b>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4], register = [], lane = [[1], [2]], wave = []>
func.func @broadcast_rank(%x: tensor<4xf32, #b>) {
  // expected-error @+1 {{'tile.broadcast' op elements and blocks have the same rank (T9)}}
  %r = tile.broadcast %x : tensor<4xf32, #b> -> tensor<4x4xf32, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [[1, 0]], lane = [[2, 0]], wave = []>
func.func @broadcast_layout(%x: tensor<4x1xf32, #b>) {
  // expected-error @+1 {{'tile.broadcast' op the blocks' layout must be the elements' layout, projected; expected #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []> (T9)}}
  %r = tile.broadcast %x : tensor<4x1xf32, #b> -> tensor<4x4xf32, #l>
  return
}

// -----

// Larger blocks than elements.
#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 8], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0]], wave = []>
func.func @broadcast_size(%x: tensor<4x8xf32, #b>) {
  // expected-error @+1 {{'tile.broadcast' op block size 0 of dimension 1 is not a power of two that divides the tile's 4 (T9)}}
  %r = tile.broadcast %x : tensor<4x8xf32, #b> -> tensor<4x4xf32, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
func.func @transpose(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.transpose' op the result's layout must be the input's, transposed, its registers in order; expected #tile.layout<shape = [4, 4], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2]], wave = []> (T10)}}
  %r = tile.transpose %x : tensor<4x4xf32, #l> -> tensor<4x4xf32, #l>
  return
}

// -----

#v = #tile.layout<shape = [4], register = [[1], [2]], lane = [], wave = []>
func.func @transpose_rank(%x: tensor<4xf32, #v>) {
  // expected-error @+1 {{'tile.transpose' op a transposed tile has rank 2, not 1 (T10)}}
  %r = tile.transpose %x : tensor<4xf32, #v> -> tensor<4xf32, #v>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#o = #tile.layout<shape = [2, 8], register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0]], wave = []>
func.func @convert_shape(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.convert_layout' op only the layout may change (T11)}}
  %r = tile.convert_layout %x : tensor<4x4xf32, #l> -> tensor<2x8xf32, #o>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
func.func @convert_element(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.convert_layout' op only the layout may change (T11)}}
  %r = tile.convert_layout %x : tensor<4x4xf32, #l> -> tensor<4x4xbf16, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#o = #tile.layout<shape = [4, 4], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []>
func.func @scaled_trunc_layout(%x: tensor<4x4xf32, #l>, %s: tensor<4x1xi8, #b>) {
  // expected-error @+1 {{'tile.scaled_trunc' op input and result have the same layout (of fp4 codes, two columns a byte: projected) (T12)}}
  %r = tile.scaled_trunc %x, %s : tensor<4x4xf32, #l>, tensor<4x1xi8, #b> -> tensor<4x4xf8E4M3FN, #o>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []>
func.func @scaled_trunc_scale(%x: tensor<4x4xf32, #l>, %s: tensor<4x1xf32, #b>) {
  // expected-error @+1 {{'tile.scaled_trunc' op scales are i8 (E8M0 bytes), one for two or more columns (T12)}}
  %r = tile.scaled_trunc %x, %s : tensor<4x4xf32, #l>, tensor<4x1xf32, #b> -> tensor<4x4xf8E4M3FN, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
func.func @scaled_trunc_columns(%x: tensor<4x4xf32, #l>, %s: tensor<4x4xi8, #l>) {
  // expected-error @+1 {{'tile.scaled_trunc' op scales are i8 (E8M0 bytes), one for two or more columns (T12)}}
  %r = tile.scaled_trunc %x, %s : tensor<4x4xf32, #l>, tensor<4x4xi8, #l> -> tensor<4x4xf8E4M3FN, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#o = #tile.layout<shape = [2, 2], register = [[0, 1]], lane = [[1, 0]], wave = []>
func.func @order_lanes(%v: memref<4x4xf32>, %i: index) {
  // expected-error @+1 {{'tile.load' op an order permutes the bits of a unit of a matrix: register bits, each a single coordinate bit, and neither lanes nor waves; this is #tile.layout<shape = [2, 2], register = [[0, 1]], lane = [[1, 0]], wave = []> (T13)}}
  %r = tile.load %v[%i, %i] {order = #o} : memref<4x4xf32> -> tensor<4x4xf32, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#o = #tile.layout<shape = [2, 2], register = [[0, 1], [1, 1]], lane = [], wave = []>
func.func @order_mixes(%x: tensor<4x4xf32, #l>, %v: memref<4x4xf32>, %i: index) {
  // expected-error @+1 {{'tile.store' op an order permutes the bits of a unit of a matrix: register bits, each a single coordinate bit, and neither lanes nor waves; this is #tile.layout<shape = [2, 2], register = [[0, 1], [1, 1]], lane = [], wave = []> (T13)}}
  tile.store %x, %v[%i, %i] {order = #o} : tensor<4x4xf32, #l>, memref<4x4xf32>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0], [2, 0]], wave = []>
func.func @scaled_trunc_packed(%x: tensor<4x4xf32, #l>, %s: tensor<4x1xi8, #b>) {
  // expected-error @+1 {{'tile.scaled_trunc' op input and result have the same layout (of fp4 codes, two columns a byte: projected) (T12)}}
  %r = tile.scaled_trunc %x, %s : tensor<4x4xf32, #l>, tensor<4x1xi8, #b> -> tensor<4x4xi8, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 3]], lane = [[1, 0]], wave = [[2, 0]]>
func.func @exchange_swizzled(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.exchange' op each basis of the tile's layout must be a single coordinate bit, or zero (T15)}}
  %r = tile.exchange %x along 0 by 2 : tensor<4x4xf32, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0]], wave = [[2, 0]]>
#r = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0]], wave = [[2, 0]]>
func.func @gather_by_floats(%v: memref<?x4xf32, strided<[4, 1]>>, %i: index, %r: tensor<4x1xf32, #r>) {
  // expected-error @+1 {{'tile.load' op rows(..) is an i32 tile of one column, the tile's layout projected; expected #tile.layout<shape = [4, 1], register = [], lane = [[1, 0]], wave = [[2, 0]]> (T16)}}
  %t = tile.load %v[%i, %i] rows(%r : tensor<4x1xf32, #r>) : memref<?x4xf32, strided<[4, 1]>> -> tensor<4x4xf32, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0]], wave = [[2, 0]]>
#r = #tile.layout<shape = [4, 1], register = [[1, 0]], lane = [[2, 0]], wave = []>
func.func @scatter_elsewhere(%v: memref<?x4xf32, strided<[4, 1]>>, %i: index, %r: tensor<4x1xi32, #r>, %t: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.store' op rows(..) is an i32 tile of one column, the tile's layout projected; expected #tile.layout<shape = [4, 1], register = [], lane = [[1, 0]], wave = [[2, 0]]> (T16)}}
  tile.store %t, %v[%i, %i] rows(%r : tensor<4x1xi32, #r>) : tensor<4x4xf32, #l>, memref<?x4xf32, strided<[4, 1]>>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0]], wave = [[2, 0]]>
#r = #tile.layout<shape = [4, 1], register = [], lane = [[1, 0]], wave = [[2, 0]]>
#o = #tile.layout<shape = [2, 2], register = [[0, 1], [1, 0]], lane = [], wave = []>
func.func @gather_in_order(%v: memref<?x4xf32, strided<[4, 1]>>, %i: index, %r: tensor<4x1xi32, #r>) {
  // expected-error @+1 {{'tile.load' op rows(..) goes with a tile of rank 2, and with no order (T16)}}
  %t = tile.load %v[%i, %i] rows(%r : tensor<4x1xi32, #r>) {order = #o} : memref<?x4xf32, strided<[4, 1]>> -> tensor<4x4xf32, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0]], wave = [[2, 0]]>
func.func @exchange_far(%x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.exchange' op no partner is 4 away along dimension 1; give a stride below the tile's size (T15)}}
  %r = tile.exchange %x along 1 by 4 : tensor<4x4xf32, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
func.func @coordinate() {
  // expected-error @+1 {{'tile.coordinate' op a coordinate is i32, along one of the 2 dimensions; this is 'i32' along dimension 2 (T14)}}
  %r = tile.coordinate 2 : tensor<4x4xi32, #l>
  return
}

// -----

func.func @return_outside() {
  // expected-error @+1 {{expects parent op 'tile.kernel'}}
  tile.return
}

// -----

func.func @pick_none(%i: index) {
  // expected-error @+1 {{'tile.select' op there is nothing to pick from (T17)}}
  %r = "tile.select"(%i) : (index) -> tensor<4x4xf32, #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
func.func @pick_other(%i: index, %x: tensor<4x4xf32, #l>) {
  // expected-error @+1 {{'tile.select' op picks a 'tensor<4x4xbf16, #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>>' from a 'tensor<4x4xf32, #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>>'; all tiles have the result's type (T17)}}
  %r = tile.select %i of %x : tensor<4x4xf32, #l> -> tensor<4x4xbf16, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
func.func @interleave(%v: memref<4x4xf32>, %c: index) {
  // expected-error @+1 {{'tile.load' op interleave = -1; it is the length of a run, or 0, and does not go with an order (T18)}}
  %r = tile.load %v[%c, %c] {interleave = -1 : i64} : memref<4x4xf32> -> tensor<4x4xf32, #l>
  return
}

// -----

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
func.func @row_interleave(%v: memref<8x4xf32>, %c: index) {
  // expected-error @+1 {{'tile.load' op row_interleave = 3; it is the length of a run, a power of two, or 0, and goes neither with rows that are given nor with an order (T18)}}
  %r = tile.load %v[%c, %c] {row_interleave = 3 : i64} : memref<8x4xf32> -> tensor<4x4xf32, #l>
  return
}

// -----

#tile = #tile.layout<shape = [1, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
tile.kernel @stage_elsewhere() attributes {target = "gfx950", waves = 1 : i64} {
  %t = arith.constant dense<0.0> : tensor<1x64xf32, #tile>
  // expected-error @+1 {{'tile.stage' op the view of a staged tile is 'memref<1x64xf32, #gpu.address_space<workgroup>>', but 'memref<1x32xf32, #gpu.address_space<workgroup>>' is given (T19)}}
  %v = tile.stage %t : tensor<1x64xf32, #tile> -> memref<1x32xf32, #gpu.address_space<workgroup>>
}

// -----

#a = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#x = #tile.layout<shape = [16, 16], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
func.func @held_otherwise(%a: tensor<16x16xbf16, #a>, %b: tensor<16x16xbf16, #x>, %c: tensor<16x16xf32, #a>) {
  // expected-error @+1 {{'tile.mma' op B is not kept as f32_16x16x16_bf16 wants it; expected #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []> (T20)}}
  %d = tile.mma %a, %b, %c <"f32_16x16x16_bf16"> : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #x> -> tensor<16x16xf32, #a>
  return
}

// -----

#a = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
func.func @elements(%a: tensor<16x16xf16, #a>, %c: tensor<16x16xf32, #a>) {
  // expected-error @+1 {{'tile.mma' op f32_16x16x16_bf16 does not take A's 'f16' (T20)}}
  %d = tile.mma %a, %a, %c <"f32_16x16x16_bf16"> : tensor<16x16xf16, #a>, tensor<16x16xf16, #a> -> tensor<16x16xf32, #a>
  return
}

// -----

#a = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
func.func @sizes(%a: tensor<16x16xbf16, #a>, %c: tensor<16x16xf32, #a>) {
  // expected-error @+1 {{'tile.mma' op A is M x K, B is N x K and the result M x N of f32, in whole instructions of 16 x 16 x 32 for each wave (T20)}}
  %d = tile.mma %a, %a, %c <"f32_16x16x32_bf16"> : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #a> -> tensor<16x16xf32, #a>
  return
}

// -----

#a = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
func.func @scales(%a: tensor<16x16xbf16, #a>, %s: tensor<16x16xi8, #a>, %c: tensor<16x16xf32, #a>) {
  // expected-error @+1 {{'tile.mma' op f32_16x16x16_bf16 takes no scales (T20)}}
  %d = tile.mma %a, %a, %c scales(%s, %s : tensor<16x16xi8, #a>, tensor<16x16xi8, #a>) <"f32_16x16x16_bf16"> : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #a> -> tensor<16x16xf32, #a>
  return
}

// -----

// expected-error @+1 {{there is no matrix instruction 'f32_8x8x8'; docs/spec.md lists those of each chip (T20)}}
#m = #tile.mma<"f32_8x8x8">

// -----

func.func @no_lds() {
  // expected-error @+1 {{'tile.ring' op a ring is slots x rows x columns of LDS, of known sizes; this is 'memref<2x16x64xbf16>' (T21)}}
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16>
  return
}

// -----

func.func @other_slot() {
  // expected-error @+1 {{'tile.ring' op tiles are stored as #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>, whose shape is not the slot's (T21)}}
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x128xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @no_part() {
  // expected-error @+1 {{'tile.ring' op slices are loaded as #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>, which are not all rows and a share of the columns of a slot, or all columns and a share of the rows (T21)}}
  %r = tile.ring from <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> to <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> : memref<2x16x32xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

#take = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
func.func @put_otherwise(%x: tensor<16x32xbf16, #take>, %i: index) {
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'tile.local_store' op the tile is 'tensor<16x32xbf16, #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>>', but the ring's layout is #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> (T21)}}
  tile.local_store %x, %r[%i] : tensor<16x32xbf16, #take>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

#put = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
func.func @put_elements(%x: tensor<16x64xf16, #put>, %i: index) {
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'tile.local_store' op the tile's elements are 'f16', the ring's 'bf16' (T21)}}
  tile.local_store %x, %r[%i] : tensor<16x64xf16, #put>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

#take = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
func.func @beyond(%i: index) {
  %c48 = arith.constant 48 : index
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'tile.local_load' op columns from 48 on are no slice of 64 in slices of 32 (T21)}}
  %x = tile.local_load %r[%i, %c48] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  return
}

// -----

#take = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
func.func @no_ring(%r: memref<2x16x64xbf16, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{'tile.local_load' op the ring is not that of a tile.ring (T21)}}
  %x = tile.local_load %r[%i, %i] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  return
}

// -----

#a = #tile.layout<shape = [16, 128], register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 16], [0, 32]], wave = []>
#s = #tile.layout<shape = [16, 4], register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], wave = []>
#c = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
func.func @scale_slice(%a: tensor<16x128xf8E4M3FN, #a>, %s: tensor<16x4xi8, #s>, %c: tensor<16x16xf32, #c>) {
  // expected-error @+1 {{'tile.mma' op there is no slice 1 of the scales, which are for 1 slices of 128 elements along K (T20)}}
  %d = tile.mma %a, %a, %c scales(%s, %s : tensor<16x4xi8, #s>, tensor<16x4xi8, #s>) <"scale_f32_16x16x128_f8f6f4"> {scale_slice = 1 : i64} : tensor<16x128xf8E4M3FN, #a>, tensor<16x128xf8E4M3FN, #a> -> tensor<16x16xf32, #c>
  return
}

// -----

func.func @fetch_elements(%v: memref<16x64xf16>, %i: index) {
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'tile.async_copy' op elements of 'f16' go to a ring of 'bf16' as they are; load, convert and store them (T22)}}
  tile.async_copy %v[%i, %i], %r[%i] : memref<16x64xf16>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

#order = #tile.layout<shape = [2, 2], register = [[0, 1]], lane = [[1, 0]], wave = []>
func.func @fetch_order(%v: memref<1x1024xbf16>, %i: index) {
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'tile.async_copy' op an order permutes the bits of a unit of a matrix: register bits, each a single coordinate bit, and neither lanes nor waves; this is #tile.layout<shape = [2, 2], register = [[0, 1]], lane = [[1, 0]], wave = []> (T13)}}
  tile.async_copy %v[%i, %i], %r[%i] {order = #order} : memref<1x1024xbf16>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @fetch_no_ring(%v: memref<16x64xbf16>, %r: memref<2x16x64xbf16, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @+1 {{'tile.async_copy' op the ring is not that of a tile.ring (T21)}}
  tile.async_copy %v[%i, %i], %r[%i] : memref<16x64xbf16>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @await_fewer() {
  // expected-error @+1 {{'tile.async_wait' op outstanding = -1 is no number of instructions; give 0 or more (T22)}}
  tile.async_wait {outstanding = -1 : i64}
  return
}

// -----

func.func @await_no_ring() {
  // expected-error @+1 {{'tile.async_wait' op pending has 1 numbers of tiles, and there are 0 rings; give one for each (T22)}}
  tile.async_wait {pending = array<i64: 1>}
  return
}

// -----

#w = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
tile.kernel @await_less_than_none() attributes {target = "sm_90a", waves = 1 : i64} {
  %r = tile.ring from #w to #w : memref<1x4x64xbf16, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'tile.async_wait' op pending = -1 is no number of tiles; give 0 or more (T22)}}
  tile.async_wait for %r : memref<1x4x64xbf16, #gpu.address_space<workgroup>> {pending = array<i64: -1>}
}

// -----

#r = #tile.layout<shape = [4, 1], register = [[1, 0], [2, 0]], lane = [[0, 0]], wave = []>
tile.kernel @no_cluster() attributes {target = "sm_90a", waves = 1 : i64} {
  %cst = arith.constant 1.0 : f32
  %a = tensor.splat %cst : tensor<4x1xf32, #r>
  // expected-error @+1 {{'tile.cluster_reduce' op the kernel's workgroups form no clusters; give it cluster, or leave the op out (T23)}}
  %s = tile.cluster_reduce add %a : tensor<4x1xf32, #r>
}

// -----

#r = #tile.layout<shape = [4, 1], register = [[1, 0], [2, 0]], lane = [[0, 0]], wave = []>
tile.kernel @no_bits() attributes {target = "sm_90a", waves = 1 : i64, cluster = 2 : i64} {
  %cst = arith.constant 1.0 : f32
  %a = tensor.splat %cst : tensor<4x1xf32, #r>
  // expected-error @+1 {{'tile.cluster_reduce' op numbers are added, or their maximum is taken (T23)}}
  %s = tile.cluster_reduce or %a : tensor<4x1xf32, #r>
}

// -----

#r = #tile.layout<shape = [4, 1], register = [[1, 0], [2, 0]], lane = [[0, 0]], wave = []>
tile.kernel @no_tiles() attributes {target = "sm_90a", waves = 1 : i64, cluster = 2 : i64} {
  %cst = arith.constant 1.0 : f32
  %a = tensor.splat %cst : tensor<4x1xf32, #r>
  // expected-error @+1 {{'tile.cluster_reduce' op it combines one tile or more (T23)}}
  "tile.cluster_reduce"() <{kind = #tile<reduce_kind add>}> : () -> ()
}

// -----

#w = #tile.layout<shape = [1, 4], register = [[0, 1], [0, 2]], lane = [[0, 0]], wave = []>
tile.kernel @columns() attributes {target = "sm_90a", waves = 1 : i64, cluster = 2 : i64} {
  %cst = arith.constant 1.0 : f32
  %a = tensor.splat %cst : tensor<1x4xf32, #w>
  // expected-error @+1 {{is no tile of one column of f32, alike for all that are combined together}}
  %s = tile.cluster_reduce add %a : tensor<1x4xf32, #w>
}

// -----

// expected-error @+1 {{'tile.kernel' op cluster = 0; it is a number of workgroups, or left out (T23)}}
tile.kernel @none() attributes {target = "sm_90a", waves = 1 : i64, cluster = 0 : i64} {
}

// -----

tile.kernel @pairs(%out: memref<f32>) attributes {target = "sm_90a", waves = 1 : i64, cluster = 2 : i64} {
}
func.func @half_a_cluster() -> tensor<f32> {
  %c3 = arith.constant 3 : index
  // expected-error @+1 {{'tile.launch' op a grid of 3 workgroups along x is no whole clusters of 2 (T23)}}
  %r = tile.launch @pairs grid(%c3, %c3) ins() -> tensor<f32>
  return %r : tensor<f32>
}

// -----

tile.kernel @prefetch(%in: memref<bf16>) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = memref.reinterpret_cast %in to offset: [0], sizes: [16, 72], strides: [72, 1] : memref<bf16> to memref<16x72xbf16, strided<[72, 1]>>
  // expected-error @+1 {{'tile.prefetch' op 1 rows of 144 bytes are not asked for by 32 bytes; each row is a whole number of these (T24)}}
  tile.prefetch %i[%c0] rows 1 bytes 32 : memref<16x72xbf16, strided<[72, 1]>>
}

// -----

tile.kernel @priority() attributes {target = "gfx950", waves = 1 : i64} {
  // expected-error @+1 {{attribute 'level' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  tile.priority 4
}

// -----

#part = #tile.layout<shape = [1, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
tile.kernel @parts(%out: memref<f32>) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<0.0> : tensor<1x64xf32, #part>
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [1, 64], strides: [64, 1] : memref<f32> to memref<1x64xf32, strided<[64, 1]>>
  // expected-error @+1 {{'tile.store' op slice 2 of 2: it is one of so many, from 0 on (T26)}}
  tile.store %x, %o[%c0, %c0] {slice = 2 : i64, slices = 2 : i64} : tensor<1x64xf32, #part>, memref<1x64xf32, strided<[64, 1]>>
}

// -----

tile.kernel @slots(%n: index) attributes {target = "gfx950", waves = 1 : i64} {
  scf.for %i = %n to %n step %n {
    // expected-error @+1 {{1 slots, but one is read while another is filled; give 2 or more (T27)}}
  } {tile.staging = #tile.staging<slots = 1>}
}

// -----

tile.kernel @half() attributes {target = "gfx950", waves = 2 : i64} {
  // expected-error @+1 {{attribute 'half' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0 whose maximum value is 1}}
  tile.barrier half 2
}

// -----

#a = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#b = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#c = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
tile.kernel @orders() attributes {target = "gfx950", waves = 1 : i64} {
  %a = arith.constant dense<0.0> : tensor<32x16xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x16xbf16, #b>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  %fits = tile.mma %a, %a, %c <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #a>, tensor<32x16xbf16, #a> -> tensor<32x32xf32, #c>
  // expected-error @+1 {{'tile.mma' op A and B do not have the same order along K (T20)}}
  %d = tile.mma %a, %b, %c <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #a>, tensor<32x16xbf16, #b> -> tensor<32x32xf32, #c>
}

// -----

// expected-error @+1 {{'tile.kernel' op workgroups = 0 run the whole grid; take 1 or more, or leave it out (T29)}}
tile.kernel @none() attributes {target = "gfx950", waves = 1 : i64, workgroups = 0 : i64} {
}

// -----

// expected-error @+1 {{'tile.kernel' op workgroups = 4 and cluster = 2: a cluster's workgroups run one program each; leave one of them out (T29)}}
tile.kernel @both() attributes {target = "sm_90a", waves = 1 : i64, workgroups = 4 : i64, cluster = 2 : i64} {
}
