// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// One exported entry point for each of the toolkit's libcuda: a jump through a table, with every
// argument where the caller put it. An entry that is still zero (a call before this library's
// constructor ran) loads the table first.

#if !defined(__x86_64__)
#error "The faulty driver's trampolines are written for x86-64 only"
#endif

  .section .note.GNU-stack,"",@progbits
  .text

  .macro trampoline index, name
  .globl \name
  .type \name, @function
  .p2align 4
\name:
  endbr64
  movq streamcts_faults_entries+8*\index(%rip), %r11
  testq %r11, %r11
  je 1f
  jmp *%r11
1:
  pushq $\index
  jmp .Lload_and_jump
  .size \name, . - \name
  .endm

#define SYMBOL(index, name) trampoline index, name
#include "faults/symbols.inc"

// On entry: the index above the return address. Saves whatever may hold an argument.
.Lload_and_jump:
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  subq $136, %rsp
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  call streamcts_faults_load
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %r11
  leaq streamcts_faults_entries(%rip), %r10
  movq (%r10,%r11,8), %r11
  jmp *%r11
