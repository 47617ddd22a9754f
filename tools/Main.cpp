//===- Main.cpp - the program of a tool -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tools.h"

int main(int argc, char **argv) { return mlir::te::TE_MAIN(argc, argv); }
