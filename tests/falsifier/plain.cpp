// Linked twice: instrumented into one program, and as code that is not instrumented into another.
void uninstrumented_increment(int* value) {
  const int seen = *value;
  asm volatile("" ::: "memory");  // a read and a write, not one instruction
  *value = seen + 1;
}
