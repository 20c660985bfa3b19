// Functions compiled for the CPU at hand. A distribution builds for the oldest x86-64, which has no population count
// and no vectors of 64-bit words; where a loop lives from those it is compiled for newer ones too, and the loader
// chooses.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define IOCAST_FOR_EACH_CPU __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define IOCAST_FOR_EACH_CPU
#endif
