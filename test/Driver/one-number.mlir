// Slices and reshapes down to a tensor without dimensions.

// RUN: te-compile %s --target=gfx950 -o %t.hsaco
// RUN: te-run %t.hsaco --entry=slice --check --sanitize
// RUN: te-run %t.hsaco --entry=reshape --check --sanitize

func.func @slice(%x: tensor<4x5x6xf32>) -> tensor<f32> {
  %0 = tensor.extract_slice %x[2, 3, 1] [1, 1, 1] [1, 1, 1] : tensor<4x5x6xf32> to tensor<f32>
  return %0 : tensor<f32>
}

func.func @reshape(%x: tensor<4x5x6xf32>) -> tensor<f32> {
  %0 = tensor.extract_slice %x[3, 0, 2] [1, 1, 1] [1, 1, 1] : tensor<4x5x6xf32> to tensor<1x1x1xf32>
  %1 = tensor.collapse_shape %0 [] : tensor<1x1x1xf32> into tensor<f32>
  return %1 : tensor<f32>
}
