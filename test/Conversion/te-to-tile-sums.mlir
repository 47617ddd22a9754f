// Sums over all rows: one row of partial sums for each workgroup, then a kernel that adds these up.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}),te-to-tile,cse)' | FileCheck %s

// CHECK-LABEL: func.func @dgelu
// CHECK: %[[P:[0-9a-z_]+]]:2 = tile.launch @dgelu_0 grid(%[[Y:[0-9a-z_]+]], %c1) {{.*}} -> tensor<?x512xbf16>, tensor<?x512xf32>
// CHECK: tile.launch @dgelu_0_sum grid({{.*}}) ins(%[[P]]#1 : tensor<?x512xf32>) sizes(%[[Y]], %{{.*}}) -> tensor<512xbf16>
func.func @dgelu(%dy: tensor<?x512xbf16>, %x: tensor<?x512xbf16>) -> (tensor<?x512xbf16>, tensor<512xbf16>) {
  %dx, %db = te.activation_bwd gelu %dy, %x : tensor<?x512xbf16>, tensor<?x512xbf16> -> tensor<?x512xbf16> dbias tensor<512xbf16>
  return %dx, %db : tensor<?x512xbf16>, tensor<512xbf16>
}

// The sums stay in registers over the tiles of a workgroup.
// CHECK: tile.kernel @dgelu_0
// CHECK: scf.for {{.*}} iter_args(%[[SUM:[0-9a-z_]+]] = %{{[0-9a-z_]+}}) -> (tensor<[[TILE:[0-9x]+]]xf32, #[[L:[0-9a-z]+]]>)
// CHECK: %[[NEXT:[0-9a-z_]+]] = arith.addf %[[SUM]], %[[DX:[0-9a-z_]+]] fastmath<contract> : tensor<[[TILE]]xf32, #[[L]]>
// CHECK: arith.truncf %[[DX]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: tile.reduce {{ *}}add {{.*}} block [{{[0-9]+}}, 1]
// CHECK: tile.store
// A line of each row a workgroup, and as many rows as its lanes load by two vectors.
// CHECK: tile.kernel @dgelu_0_sum
// CHECK: scf.for {{.*}} -> (tensor<128x32xf32,
// CHECK: arith.truncf
