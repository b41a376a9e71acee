// The page of `lockstep explain --html` and `lockstep run --report`, built by build.mjs; LOCKSTEP_DATA stands where its
// data goes.
#pragma once

namespace lockstep {
extern const char* const kPage;
}
