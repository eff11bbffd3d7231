// Arrays of NumPy as views. nanobind checks their types, order and contiguity, the functions here their shapes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <string>

#include "problem.hpp"

namespace kernelwise {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Cube = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<double, nb::shape<-1, 8>, nb::c_contig, nb::device::cpu>;

template <class T>
Row<T> view(const Vector<T>& array) {
    return {array.data(), static_cast<Index>(array.shape(0))};
}
template <class T>
Rows<T> view(const Matrix<T>& array) {
    return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}
template <class T>  // a row for each pair of the first two indices
Rows<T> view(const Cube<T>& array) {
    return {array.data(), static_cast<Index>(array.shape(0) * array.shape(1)), static_cast<Index>(array.shape(2))};
}
template <class Array>
Row<Figures> figures_of(const Array& array) {
    return {reinterpret_cast<Figures*>(array.data()), static_cast<Index>(array.size() / 8)};
}

// Refuse arrays of other shapes: the loops would read and write beyond their ends.
inline void need(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument(what);
}
template <class... Arrays>
void need_size(Index n, const Arrays&... arrays) {
    need(((static_cast<Index>(arrays.size()) == n) && ...),
         "Arrays of " + std::to_string(n) + " numbers are needed, one for each variable or sample.");
}

}  // namespace kernelwise
