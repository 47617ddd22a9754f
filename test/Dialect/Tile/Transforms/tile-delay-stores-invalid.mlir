// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-delay-stores))'

tile.kernel @value() attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{tile.delay = 2 : i64: it marks a loop over tiles and has no value; write tile.delay alone}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {tile.delay = 2}
}
