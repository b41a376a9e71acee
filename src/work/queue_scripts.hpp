// What must happen at once, or not at all, in Redis. KEYS[1] is the stream of units, ARGV[1] the group, ARGV[2] a unit
// or a worker.
#pragma once

namespace lockstep {

// The first answer to a unit counts: it removes the unit. 0: it came too late. KEYS[2]: answers; ARGV[3]: the answer.
inline constexpr const char* kFinishUnit = R"(
local first = redis.call('XDEL', KEYS[1], ARGV[2])
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
if first == 1 then redis.call('XADD', KEYS[2], '*', 'answer', ARGV[3]) end
return first)";

// A heartbeat: the unit stays with its worker (ARGV[3]). 0: it has been given to another, or is done.
inline constexpr const char* kKeepUnit = R"(
local pending = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)
if #pending == 0 or pending[1][2] ~= ARGV[3] then return 0 end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[2], 'JUSTID')
return 1)";

// A unit whose worker has been silent for ARGV[3] milliseconds, for worker ARGV[2]; not one that was handed out ARGV[4]
// times.
inline constexpr const char* kClaimUnit = R"(
local pending = redis.call('XPENDING', KEYS[1], ARGV[1], 'IDLE', ARGV[3], '-', '+', 64)
for _, entry in ipairs(pending) do
  if entry[4] < tonumber(ARGV[4]) then
    local claimed = redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], entry[1])
    if #claimed > 0 then return claimed end
  end
end
return {})";

// What has become of a unit: {0} gone, {1} waits for a worker, {2, milliseconds of silence, times handed out}.
inline constexpr const char* kLookAtUnit = R"(
if #redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2]) == 0 then return {0} end
local pending = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1)
if #pending == 0 then return {1} end
return {2, pending[1][3], pending[1][4]})";

// Takes a unit back: nobody will get it, and an answer to it comes too late.
inline constexpr const char* kWithdraw = R"(
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
return redis.call('XDEL', KEYS[1], ARGV[2]))";

}  // namespace lockstep
