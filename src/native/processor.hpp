// What this processor and its operating system can do. (Not by __builtin_cpu_supports, which not every compiler that
// builds this can link into a shared library.)
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#define KERNELWISE_X86 1
#include <cpuid.h>
#endif

namespace kernelwise {

enum class Processor { baseline, avx2, avx512 };

inline Processor this_processor() {
#if defined(KERNELWISE_X86)
    unsigned a, b, c, d;
    constexpr unsigned FMA = 1u << 12, OSXSAVE = 1u << 27, BMI = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8;
    constexpr unsigned F = 1u << 16, DQ = 1u << 17, CD = 1u << 28, BW = 1u << 30, VL = 1u << 31;
    constexpr unsigned YMM = 0x06, ZMM = 0xe6;  // registers that the operating system saves
    const auto has = [](unsigned given, unsigned wanted) { return (given & wanted) == wanted; };
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, FMA | OSXSAVE)) return Processor::baseline;
    unsigned saved, unused;
    __asm__("xgetbv" : "=a"(saved), "=d"(unused) : "c"(0));
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(saved, YMM) || !has(b, AVX2 | BMI | BMI2))
        return Processor::baseline;
    return has(saved, ZMM) && has(b, F | DQ | CD | BW | VL) ? Processor::avx512 : Processor::avx2;
#else
    return Processor::baseline;
#endif
}

}  // namespace kernelwise
