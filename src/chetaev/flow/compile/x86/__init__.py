"""Machine code of straight-line programs without a compiler, for x86-64 with AVX and FMA."""
