# Read by CMake in llama.cpp's project: leaves out its command line programs' library, which Python does not load.
# It halves the time of compiling; llama-cpp-python switches the option on by force, and only a variable overrides it.
set(LLAMA_BUILD_COMMON OFF)
