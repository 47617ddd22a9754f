//===- Passes.td - passes on the tile level ---------------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PASSES_TD
#define TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PersistentWorkgroupsPass : Pass<"tile-persistent-workgroups", "::mlir::ModuleOp"> {
  let summary = "few workgroups run the programs of a grid, one after another";
  let description = [{
    A kernel with `workgroups = n` becomes a loop over the grid that its launches ask for, with a barrier at its end, and
    they ask for n workgroups. The loop is marked for tile-delay-stores. Sizes of a grid that all launches share are
    constants, others arguments of the kernel.

    ```
    tile.kernel @k {workgroups = 256} {         tile.kernel @k {
      %x = gpu.block_id x                         %id = gpu.block_id x
      %y = gpu.block_id y                         scf.for %i = %id to 512 step 256 {
      program of (%x, %y)                           %x = arith.remui %i, 16
    }                                      ==>      %y = arith.divui %i, 16
    tile.launch @k grid(16, 32)                     program of (%x, %y)
                                                    gpu.barrier
                                                  } {tile.delay}
                                                }
                                                tile.launch @k grid(256, 1)
    ```
  }];
}

def HoistLoadsPass : Pass<"tile-hoist-loads", "::mlir::te::tile::KernelOp"> {
  let summary = "read once, before a loop, what each iteration reads";
  let description = [{
    `tile.load` and `memref.load` of a buffer that the kernel only reads move before each loop in which their
    address does not change; what is computed from them stays. Gamma is read once where a workgroup goes down
    rows (`row_tiles`, `workgroups`).

    ```
    scf.for %i = ... {                      %g = tile.load %gamma[%c0, %c0]
      %g = tile.load %gamma[%c0, %c0]  ==>  scf.for %i = ... {
    ```
  }];
}

def PrefetchLoadsPass : Pass<"tile-prefetch-loads", "::mlir::te::tile::KernelOp"> {
  let summary = "read the next iteration's tiles while this one's are computed with";
  let description = [{
    In loops marked `tile.prefetch` (a schedule with `prefetch`), each `tile.load` of a buffer that the kernel only
    reads is read one iteration ahead: its tile is carried by the loop, and the first is read before it. Takes the
    registers of one more tile each.

    ```
    scf.for %i = %a to %n {            %x0 = tile.load %view[%a, %c0]
      %x = tile.load %view[%i, %c0]    scf.for %i = %a to %n iter_args(%x = %x0) {
      ... %x ...                  ==>    %y = scf.if %i + 1 < %n { tile.load %view[%i + 1, %c0] } else { %x }
    } {tile.prefetch}                    ... %x ...
                                         scf.yield %y
    ```
  }];
}

def StageOperandsPass : Pass<"tile-stage-operands", "::mlir::te::tile::KernelOp"> {
  let summary = "operands of products go through LDS buffers";
  let description = [{
    In loops marked `tile.staging`, each operand of a `tile.mma` that is loaded from memory and converted through LDS to
    the product's layout gets a `tile.ring`, with a slot for each of several iterations. With `direct`, and where lanes
    can, its tile is copied there without registers (`tile.async_copy`). Loops that follow one another share rings.

    ```
    scf.for %i = ... {                          %ring = tile.ring from <..> to <..>
      %x = tile.load %view[%r, %c]              scf.for %i = ... {
      %y = tile.convert_layout %x          ==>    tile.async_copy %view[%r, %c], %ring[%i % 2]
      tile.mma %a, %y, ..                         tile.async_wait for %ring
    } {tile.staging = #tile.staging<..>}          %y = tile.local_load %ring[%i % 2, 0]
                                                  tile.mma %a, %y, ..
                                                } {tile.staging = #tile.staging<..>}
    ```
  }];
}

def SplitProductsPass : Pass<"tile-split-products", "::mlir::te::tile::KernelOp"> {
  let summary = "one tile.mma for each matrix instruction along K";
  let description = [{
    In loops marked `tile.staging`, after tile-stage-operands: a `tile.mma` whose operands both come from rings becomes
    one for each matrix instruction along K, each with a `tile.local_load` of its part. So tile-pipeline can load the
    operands of the next one while this one runs.

    ```
    %a = tile.local_load %p[%s, 0]          %a0 = tile.local_load %p[%s, 0]
    %b = tile.local_load %q[%s, 0]     ==>  %b0 = tile.local_load %q[%s, 0]
    %d = tile.mma %a, %b, %c                %c' = tile.mma %a0, %b0, %c
                                            %a1 = tile.local_load %p[%s, 32]
                                            %b1 = tile.local_load %q[%s, 32]
                                            %d = tile.mma %a1, %b1, %c'
    ```
  }];
}

def PipelinePass : Pass<"tile-pipeline", "::mlir::te::tile::KernelOp"> {
  let summary = "software pipeline: an iteration loads what later ones multiply";
  let description = [{
    In loops marked `tile.staging`, after tile-stage-operands. With n slots a ring is filled n - 1 iterations before it
    is read; what reaches it through registers is loaded one iteration earlier still. A product that needs nothing that
    the loop carries is computed an iteration before its uses. An iteration is vector work, a barrier, loads and
    products. Where all products add to what the loop carries, each one's operands are loaded next to the one before,
    and the last iterations are peeled, if their number is known.

    ```
    scf.for %i = 0 to %n {                            tile.async_copy %view[0, %c], %ring[0]
      tile.async_copy %view[%i, %c], %ring[%i % 2]    scf.for %i = 0 to %n {
      tile.async_wait for %ring                         tile.async_wait for %ring
      %y = tile.local_load %ring[%i % 2, 0]      ==>    tile.async_copy %view[%i + 1, %c], %ring[(%i + 1) % 2]
      tile.mma %a, %y, %sum                             %y = tile.local_load %ring[%i % 2, 0]
    } {tile.staging = #tile.staging<..>}                tile.mma %a, %y, %sum
                                                      }
    ```
  }];
}

def PingPongPass : Pass<"tile-ping-pong", "::mlir::te::tile::KernelOp"> {
  let summary = "half of the waves multiply while the others compute with vectors";
  let description = [{
    In loops marked `tile.ping_pong`, after tile-pipeline: a barrier separates the vector work of an iteration from its
    products, and half of the waves, one of each SIMD's two, run one barrier late. Products have priority. In loops
    without vector work each product sets a priority: of the waves of a SIMD the one that is behind goes first.

    ```
    scf.for %i = 0 to %n {             tile.barrier half 1
      .. exp ..                        scf.for %i = 0 to %n {
      tile.async_wait for %ring          tile.async_wait for %ring
      tile.async_copy ..          ==>    .. exp ..
      %s = tile.mma ..                   tile.barrier
    } {tile.ping_pong}                   tile.async_copy ..
                                         %s = tile.mma ..
                                       }
                                       tile.barrier half 0
    ```
  }];
}

def InterleavePass : Pass<"tile-interleave", "::mlir::te::tile::KernelOp"> {
  let summary = "interleave matrix, memory and vector instructions";
  let description = [{
    In loops, a product whose operands come from a ring (`tile.local_load`) gets the number of matrix instructions
    before it among which these loads are issued (`ahead` of the last one between two barriers): as many as take the
    time of LDS and of the other waves' reads. On chips whose timing is known. Products whose operands are loaded before
    the products in front of them keep that order (`in_order`), with the number of LDS reads next to them (`reads`).

    ```
    %x = tile.local_load %ring[..]       %x = tile.local_load %ring[..]
    %s = tile.mma %q, %x, ..        ==>  %s = tile.mma %q, %x, .. {ahead = 8}
    ```
  }];
}

def UnrollPass : Pass<"tile-unroll", "::mlir::te::tile::KernelOp"> {
  let summary = "unroll loops until slots of rings have constant addresses";
  let description = [{
    Loops marked `tile.unroll = n` (from 0 on, by 1) are unrolled n times, with a loop for the remaining iterations. The
    remainder of an iteration's number by n, from which slots follow, is a constant in each copy.

    ```
    scf.for %i = 0 to %n step 1 {             scf.for %i = 0 to %m step 2 {
      %s = arith.remui %i, 2                    tile.local_load %ring[0, ..]
      tile.local_load %ring[%s, ..]      ==>    tile.local_load %ring[1, ..]
    } {tile.unroll = 2}                       }
                                              scf.for %i = %m to %n step 1 { .. }
    ```
  }];
}

def DelayStoresPass : Pass<"tile-delay-stores", "::mlir::te::tile::KernelOp"> {
  let summary = "interleave a tile's stores with the products of the next one";
  let description = [{
    In loops over tiles marked `tile.delay` (a te.gemm with `workgroups`), each `tile.store` that is the same
    instructions for all lanes is moved to the next iteration. There it is split into equal parts, one before each
    `tile.mma` of that iteration's loop. The last tile is stored after the loop. The tile stays in registers meanwhile.

    ```
    scf.for %n = .. {               %last:3 = scf.for .. iter_args(%y = 0, %r = rows, %c = 0) {
      %s = tile.mma ..                tile.store %y, %view[%r, %c] {slice = 0, slices = 2}
      %t = tile.mma ..          ==>   %s = tile.mma ..
      tile.store %d, %view[..]        tile.store %y, %view[%r, %c] {slice = 1, slices = 2}
    } {tile.delay}                    %t = tile.mma ..
    ```
  }];
}

def CountLoadsPass : Pass<"tile-count-loads", "::mlir::te::tile::KernelOp"> {
  let summary = "waits count the later loads that may stay in flight";
  let description = [{
    Memory answers in order. Each `tile.async_wait` gets the least number of memory instructions, on any path, that
    follow the last copy that it waits for (`outstanding`): these may stay in flight.

    ```
    tile.async_copy .. %ring[0]        tile.async_copy .. %ring[0]
    %s = tile.load ..             ==>  %s = tile.load ..
    tile.async_wait for %ring          tile.async_wait for %ring {outstanding = 4}
    ```
  }];
}

def PrintLayoutsPass : Pass<"tile-print-layouts", "::mlir::ModuleOp"> {
  let summary = "draw which lane holds what, for every layout of the module";
  let description = [{
    Each distinct `#tile.layout`, in order of appearance, as text or as one SVG. A cell is a
    run of consecutive elements that one lane holds: `WAVE:LANE.REGISTER`, the register being the
    first of the run's. A replica shows its first holder. Text stops after 16 rows and 16 cells a row
    and says so; SVG draws everything. The IR is unchanged.

    ```
    4 x 16, 4 elements a cell
         0      4      8      12
    0    0:0.0  0:1.0  0:2.0  0:3.0
    1    0:4.0  0:5.0  0:6.0  0:7.0
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", "\"text\"", "text or svg">,
    Option<"output", "output", "std::string", "\"-\"",
           "a file, or - for standard error">
  ];
}

#endif // TILE_TRANSFORMS_PASSES_TD
