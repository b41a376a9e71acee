// The page of `lockstep explain --html`, built from timeline.html; /*STORY*/null stands where its data goes.
#pragma once

namespace lockstep {
extern const char* const kTimelinePage;
}
