// The test program's main function, which Catch2 supplies.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
