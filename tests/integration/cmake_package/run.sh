#!/bin/bash
# Installs the build into a prefix, moves the prefix, and builds and tests a project that uses it.
# usage: run.sh CMAKE BUILD_DIR CXX_COMPILER
set -eu
cmake=$1 build=$2 compiler=$3
here=$(dirname "$(readlink -f "$0")")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"

for file in bin/lockstep bin/lockstep-cxx bin/lockstep-cc lib/liblockstep-rt.so lib/liblockstep.so \
  include/lockstep/lockstep.hpp include/lockstep/gtest.hpp include/lockstep/catch2.hpp \
  lib/cmake/lockstep/lockstepConfig.cmake lib/pkgconfig/lockstep.pc; do
  if [[ ! -e $work/moved/$file ]]; then
    echo "not installed: $file" >&2
    exit 1
  fi
done
if grep -rI --exclude='*.hpp' -l "$work/first\|$build" "$work/moved"; then
  echo 'these files hold paths of the build' >&2
  exit 1
fi
PKG_CONFIG_PATH=$work/moved/lib/pkgconfig pkg-config --cflags --libs lockstep | grep -q -- "-llockstep-rt"
"$work/moved/bin/lockstep" --version

"$cmake" -S "$here" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo
"$cmake" --build "$work/consumer"
if readelf -d "$work/consumer/counter" | grep -q libtsan; then
  echo 'the sanitizer runtime was linked' >&2
  exit 1
fi
cd "$work/consumer"
ctest --output-on-failure -E cells.Cells.LoseOne
if ctest -R cells.Cells.LoseOne --output-on-failure >"$work/lost.log" || ! grep -q 'expected: 2\|Expected equality' "$work/lost.log"; then
  echo 'the lost update in an instrumented library was not found' >&2
  cat "$work/lost.log" >&2
  exit 1
fi
