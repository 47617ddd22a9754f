// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-delay-stores))'

tile.kernel @none() attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{tile.delay = 0 : i64 is no number of parts; give the number that the loop's products have, beside the last of which it stores}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {tile.delay = 0}
}

// -----

tile.kernel @name() attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{tile.delay = "all" is no number of parts}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {tile.delay = "all"}
}

// -----

tile.kernel @type() attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{tile.delay = 1 : ui8 is no number of parts}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {tile.delay = 1 : ui8}
}
