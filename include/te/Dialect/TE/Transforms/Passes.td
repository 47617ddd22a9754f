//===- Passes.td - passes on the te level -----------------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_TRANSFORMS_PASSES_TD
#define TE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseAttentionPass : Pass<"te-raise-attention", "::mlir::func::FuncOp"> {
  let summary = "find attention in two products with a softmax between them";
  let description = [{
    Two te.gemm with a te.softmax between become a te.attention, whose kernel does not store the scores, where nobody else
    reads what is in between, the operands are bf16 or f16, and a schedule for it fits `target`. The first product may
    have an alpha; casts in between go. Matrices of rank 2 and 3 are heads of one batch, or of many; operands that are
    a te.permute from (b, s, h, d) or (s, b, h, d) are read as they lie. `te.raised` of the op says what it was made of.

    ```mlir
    %s = te.gemm %q, %k transpose_b : ...
    %p = te.softmax %s {scale = 1.250000e-01 : f32, causal} : ...
    %o = te.gemm %p, %v : ...
    // ==>
    %o, %lse = te.attention bhsd %q, %k, %v {causal, scale = 1.250000e-01 : f32} : ...
    ```
  }];
  let options = [Option<"target", "target", "std::string", "", "the chip whose kernels compute it">];
  let statistics = [Statistic<"numRaised", "raised", "te.attention ops that were made">];
  let dependentDialects = ["::mlir::te::TEDialect", "::mlir::tensor::TensorDialect"];
}

def FusePass : Pass<"te-fuse", "::mlir::func::FuncOp"> {
  let summary = "gather te ops into regions, each of which becomes one kernel";
  let description = [{
    Ops that iterate over one M x K extent share a region, and tiles pass between them in registers: each
    op, in the order of the program, joins the regions of its producers and of those that read the
    same tensor, as it is or with rows for columns, where the rules of a region allow it (F3 to F12 of `docs/spec.md`), no other op comes
    between, and a schedule for all of them fits `target`. Elementwise `arith` and `math` ops on tensors take
    part like te ops. `not_fused` of a region says why it is not one with another that it is tied to.
    An op that asks for other tiles of a `te.gemm` (a gate, blocks of scales) is in its kernel where the roofline (F10) says
    that one kernel is faster. So is a `te.dequantize` or a cast of its A or B, which nothing else reads: then each
    tile is converted as it is read.
    Ops that nobody reads are dropped, and a tensor, in any order of its dimensions, has one `te.amax`.
    A `te.transpose` or `te.relayout` of what `te.quantize` makes becomes a result of that op.
    Kernels are named after the function and their number in it.

    ```mlir
    %n, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : ...
    %q = te.quantize %n : ...
    // ==>
    %q = te.fusion "quantize_0" (%a = %x : ..., %b = %g : ...) -> (...) {
      %n, %r = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : ...
      %0 = te.quantize %n : ...
      te.yield %0 : ...
    }
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "the chip whose limits regions keep to; empty: none is looked at">,
    Option<"reportsEffort", "report-effort", "bool", "false",
           "a remark tells how many ops the function has, and how many were looked at">
  ];
  let dependentDialects = ["::mlir::te::TEDialect"];
}

def ShareKernelsPass : Pass<"te-share-kernels", "::mlir::ModuleOp"> {
  let summary = "equal regions get the name of one kernel";
  let description = [{
    Regions with the same ops, types, attributes and schedule, whatever their operands, are named after the first of
    them in the module. `te-to-tile` makes one kernel of equal regions of one name, and launches it for each: equal
    layers of a model are compiled once.

    ```mlir
    %1 = te.fusion "f_0" (%a = %x : tensor<8x64xf32>) -> (tensor<8x64xf32>) {...}
    %2 = te.fusion "f_1" (%a = %1 : tensor<8x64xf32>) -> (tensor<8x64xf32>) {...}
    // ==>
    %1 = te.fusion "f_0" (%a = %x : tensor<8x64xf32>) -> (tensor<8x64xf32>) {...}
    %2 = te.fusion "f_0" (%a = %1 : tensor<8x64xf32>) -> (tensor<8x64xf32>) {...}
    ```
  }];
  let statistics = [
    Statistic<"numRegions", "regions", "regions of the module">,
    Statistic<"numKernels", "kernels", "regions that differ from each other">
  ];
  let dependentDialects = ["::mlir::te::TEDialect"];
}

def SchedulePass : Pass<"te-schedule", "::mlir::func::FuncOp"> {
  let summary = "choose tile, waves and vector width of each region";
  let description = [{
    Sets `#te.schedule` on each `te.fusion` from the resource model of the target
    (`te/Schedule/ResourceModel.h`), once for equal ones. A schedule that is already there is the user's: it
    is kept, or an error names the rule that it breaks. A region that te-tune has tuned, or one near
    it, takes its schedule from the database (and the attribute `te.tuned`): first of `tuning-db`, then, with
    `use-shipped`, of share/schedules. For others the roofline ranks schedules (docs/tuning.md).
    With `ranges`, a region with a dynamic number of rows, or K, becomes one for each range of it, in branches
    of `scf.if`, where the schedules for ranges differ from one to the next; those with one schedule share a kernel.
    Also checks that the region's element types exist on the target.
  }];
  let options = [
    Option<"target", "target", "std::string", "", "the chip, by the name that te-compile --target takes">,
    Option<"tuningDb", "tuning-db", "std::string", "\"\"", "schedules that te-tune found: a file (docs/tuning.md)">,
    Option<"useShipped", "use-shipped", "bool", "false", "after it, the compiler's own database (share/schedules)">,
    ListOption<"ranges", "ranges", "int64_t",
               "the ends of the ranges of a dynamic number of rows, or K, but the last; none: one kernel for all">
  ];
  let statistics = [
    Statistic<"numChosen", "schedules chosen", "schedules that the pass chose">,
    Statistic<"numTuned", "schedules tuned", "schedules that the tuning database has">,
    Statistic<"numKept", "schedules kept", "schedules that the user wrote">
  ];
  let dependentDialects = ["::mlir::te::TEDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SplitKPass : Pass<"te-split-k", "::mlir::func::FuncOp"> {
  let summary = "a te.gemm whose K is cut into splits becomes two regions";
  let description = [{
    Where a region's schedule says `split_k = S`, one region computes the sums of S splits of K, and a second adds them
    up, in their order, and computes everything else of the region, by a schedule of its own. Results are the same on
    every run. After `te-schedule`, which chooses S.

    ```mlir
    %y = te.fusion "f_0" (%a = %x : ..., %b = %w : ...) -> (...) attributes {schedule = ... split_k = 4 ...} {
      %d = te.gemm %a, %b transpose_b ...
    }
    // ==>
    %p = te.fusion "f_0" (%a = %x : ..., %b = %w : ...) -> (...) attributes {schedule = ... split_k = 4 ...} {
      %d = te.gemm %a, %b transpose_b {split_k = 4 : i64} : ... -> tensor<4x64x6144xf32>
    }
    %y = te.fusion "f_0_sum" (%a = %p : tensor<4x64x6144xf32>) -> (...) attributes {schedule = ...} {
      %d = te.gemm_sum %a ...
    }
    ```

    With `whole_rows = R` next to it, the first region computes the first R rows as it did, and makes splits of the
    others, a result `rest`; the second one computes the other rows, in the buffers of the first one's results (`inits`).
  }];
  let statistics = [
    Statistic<"numSplit", "regions split", "regions that became two">
  ];
  let dependentDialects = ["::mlir::te::TEDialect"];
}

def VerifyLevelPass : Pass<"te-verify-level"> {
  let summary = "check the normal form of a level";
  let description = [{
    Fails at the first op that does not belong to the given level: `te`, `fused`, `tile`, `gpu`,
    `rocdl` or `nvvm`. The pipeline runs it after each stage.
  }];
  let options = [
    Option<"level", "level", "std::string", "\"te\"",
           "te, fused, tile, gpu, rocdl or nvvm">
  ];
}

#endif // TE_TRANSFORMS_PASSES_TD
