// The only file that names Catch2: written for version 2.13. With upstream version 3, include
// <catch2/catch_all.hpp> here, and link Catch2Main instead of main.cpp. A fuzzer has its own.
#ifndef TESTS_CATCH_HPP
#define TESTS_CATCH_HPP

#ifdef TESTS_FUZZ
#include "fuzz/require.hpp"
#else
#include <catch2/catch.hpp>
#endif

#endif
