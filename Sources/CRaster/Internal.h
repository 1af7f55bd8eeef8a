// Macros and functions that the kernels, the functions of CRaster.h, share.
#ifndef CRASTER_INTERNAL_H
#define CRASTER_INTERNAL_H

#include "CRaster.h"
#include <string.h>

// `KERNEL` compiles a function twice, for any processor and for processors with AVX2. With a sanitizer it compiles one
// version, since the sanitizer is not initialised yet when the loader selects a version. Contraction is off, since
// fused multiply-adds would round differently.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KERNEL
#elif defined(__x86_64__) && defined(__ELF__)
#define KERNEL __attribute__((target_clones("default", "avx2")))
#else
#define KERNEL
#endif
#pragma STDC FP_CONTRACT OFF

#define ONE ((uint16_t)(1 << 14))
#define GROUP 16

/// Iterates over groups of 16 samples: whole vectors, no remainder.
#define EACH_OF_GROUPS(i, groups) \
    for (size_t base_ = 0; base_ < (groups) * GROUP; base_ += GROUP) \
        for (size_t i = base_; i < base_ + GROUP; i++)

#define EACH(i, count) for (size_t i = 0; i < (count); i++)

/// Declares an array of 16 equal values, whose equality is hidden from the compiler. Otherwise it would widen the value
/// to 32 bits once, and then multiply with 32 bits, which takes five instructions more than with 16 bits. For the same
/// reason, `EACH_LANE` makes it read the array again for each group.
#define SPREAD(name, value) \
    uint16_t name[GROUP]; \
    for (size_t lane_ = 0; lane_ < GROUP; lane_++) name[lane_] = (value); \
    __asm__("" : "+m"(name))

/// Iterates over any number of samples in groups of 16, and over the rest one by one. `lane` is a sample's place in its
/// group.
#define EACH_LANE(i, lane, count, ...) \
    do { \
        size_t first_ = 0; \
        for (; first_ + GROUP <= (count); first_ += GROUP) { \
            __asm__ volatile("" ::: "memory"); \
            for (size_t lane = 0; lane < GROUP; lane++) { \
                size_t i = first_ + lane; \
                __VA_ARGS__ \
            } \
        } \
        for (size_t lane = 0; first_ < (count); first_++) { \
            size_t i = first_; \
            __VA_ARGS__ \
        } \
    } while (0)

static inline uint16_t high(uint16_t x, uint16_t y) { return (uint16_t)(((uint32_t)x * (uint32_t)y) >> 16); }
static inline uint16_t twice(uint16_t x) { return (uint16_t)(x << 1); }
static inline uint16_t least(uint16_t x, uint16_t y) { return x < y ? x : y; }
static inline uint16_t greatest(uint16_t x, uint16_t y) { return x > y ? x : y; }
static inline uint16_t capped(uint16_t x) { return least(x, ONE); }
/// The transmittance of an alpha, times 2.
static inline uint16_t through(uint16_t alpha) { return twice((uint16_t)(ONE - alpha)); }

/// Rounds 0 ≤ x < 2^16 through the bits of a float: the low bits of 2^23 + n are n.
static inline uint16_t rounded(float x) {
    float sum = x + 8388608.0f;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (uint16_t)bits;
}

#endif
