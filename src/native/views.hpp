// Views of numbers that somebody else owns, and memory of our own.
//
// The loops are compiled several times, once for each kind of processor (targets.hpp). The linker keeps one copy of
// equal inline functions, and could keep the one with AVX-512 for all targets. So every function of an optimised file
// is inlined or in the namespace of its target, and none of the standard library's containers is used there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

#define KERNELWISE_INLINE [[gnu::always_inline]] inline

// A debug build (KERNELWISE_CHECKED) looks at every index of a view, and ends the program where one is outside.
#if defined(KERNELWISE_CHECKED)
#define KERNELWISE_CHECK(holds) ((holds) ? void() : ::kernelwise::broken(#holds, __FILE__, __LINE__))
#else
#define KERNELWISE_CHECK(holds) static_cast<void>(0)
#endif

namespace kernelwise {

[[noreturn]] void broken(const char* what, const char* file, int line);

using Index = std::int64_t;
using Place = std::size_t;  // of a sample or variable, as NumPy's uintp

constexpr double INFINITE = std::numeric_limits<double>::infinity();

template <class T>
KERNELWISE_INLINE T larger(T a, T b) {
    return b > a ? b : a;
}
template <class T>
KERNELWISE_INLINE T smaller(T a, T b) {
    return b < a ? b : a;
}
KERNELWISE_INLINE double magnitude(double value) { return __builtin_fabs(value); }
KERNELWISE_INLINE bool is_finite_number(double value) { return magnitude(value) < INFINITE; }

template <class T>
struct Row {
    T* first = nullptr;
    Index size = 0;

    KERNELWISE_INLINE T& operator[](Index i) const {
        KERNELWISE_CHECK(0 <= i && i < size);
        return first[i];
    }
    KERNELWISE_INLINE T* begin() const { return first; }
    KERNELWISE_INLINE T* end() const { return first + size; }
    KERNELWISE_INLINE Row part(Index from, Index to) const {
        KERNELWISE_CHECK(0 <= from && from <= to && to <= size);
        return {first + from, to - from};
    }
    KERNELWISE_INLINE operator Row<const T>() const { return {first, size}; }
};

template <class T>
struct Rows {
    T* first = nullptr;
    Index count = 0, stride = 0;

    KERNELWISE_INLINE Row<T> operator[](Index i) const {
        KERNELWISE_CHECK(0 <= i && i < count);
        return {first + i * stride, stride};
    }
    KERNELWISE_INLINE operator Rows<const T>() const { return {first, count, stride}; }
};

// to_k = from[where_k]
template <class T>
KERNELWISE_INLINE void gather(const T* from, Row<const Place> where, T* to) {
    for (Index k = 0; k < where.size; ++k) to[k] = from[where.first[k]];
}

}  // namespace kernelwise

namespace kernelwise::KERNELWISE_TARGET {

// Zeros that start with a line of the cache; only touched pages take memory.
template <class T>
class Buffer {
public:
    Buffer() = default;
    Buffer(Index count, Index stride) { reset(count, stride); }
    ~Buffer() { std::free(memory_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    // Rows of that shape: the old memory, with what is in it, if it is large enough, and fresh zeros if not.
    void reset(Index count, Index stride) {
        if (count * stride > room_) {
            std::free(memory_);
            memory_ = std::calloc(static_cast<std::size_t>(count * stride) * sizeof(T) + LINE, 1);
            room_ = memory_ == nullptr ? 0 : count * stride;
            if (memory_ == nullptr) throw std::bad_alloc();
        }
        const auto address = reinterpret_cast<std::uintptr_t>(memory_);
        rows_ = {reinterpret_cast<T*>((address + LINE - 1) / LINE * LINE), count, stride};
    }
    void reset(Index size) { reset(1, size); }

    KERNELWISE_INLINE Row<T> row() const { return rows_[0]; }
    KERNELWISE_INLINE Rows<T> rows() const { return rows_; }

private:
    static constexpr std::size_t LINE = 64;
    void* memory_ = nullptr;
    Index room_ = 0;
    Rows<T> rows_;
};

}  // namespace kernelwise::KERNELWISE_TARGET
