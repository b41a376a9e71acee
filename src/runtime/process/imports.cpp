// Reads the imports of the program's modules.
#include "runtime/process/imports.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <initializer_list>

#include "runtime/process/facts.hpp"
#include "runtime/process/libraries.hpp"

namespace lockstep::rt {
namespace {

bool is_harmless(const char* openmp) {
  for (const char* name : {"omp_get_num_procs", "omp_get_wtime", "omp_get_wtick", "omp_get_dynamic", "omp_set_dynamic"})
    if (equal(openmp, name)) return true;
  return false;
}

void look_at(const char* name, Imports& imports) {
  if (equal(name, "pthread_cancel")) imports.cancel = true;
  for (const char* asks : {"pthread_tryjoin_np", "pthread_timedjoin_np", "pthread_clockjoin_np"})
    if (equal(name, asks)) imports.try_join = true;
  if (equal(name, "makecontext")) imports.contexts = true;
  for (const char* calls_back : {"aio_read", "aio_write", "aio_fsync", "lio_listio", "aio_read64", "aio_write64",
                                 "aio_fsync64", "lio_listio64", "mq_notify", "getaddrinfo_a"})
    if (equal(name, calls_back)) imports.outside_threads = true;
  for (const char* runs : {"system", "popen", "wordexp"})
    if (equal(name, runs)) imports.runs_commands = true;
  if ((starts_with(name, "GOMP_") || starts_with(name, "omp_")) && !is_harmless(name) &&
      !is_own_code(reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, name))))
    imports.openmp = name;
}

// Searches relocations: every function that is called through another module has one.
int look_at_module(dl_phdr_info* info, size_t, void* data) {
  if (is_system_module(info->dlpi_name)) return 0;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  struct {
    uintptr_t at;
    size_t bytes;
  } tables[2] = {};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (auto* d = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
         d->d_tag != DT_NULL; ++d) {
      // ld.so has added the load address, except in the vDSO, which is not a module of the program.
      if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(d->d_un.d_ptr);
      if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
      if (d->d_tag == DT_RELA) tables[0].at = d->d_un.d_ptr;
      if (d->d_tag == DT_RELASZ) tables[0].bytes = d->d_un.d_val;
      if (d->d_tag == DT_JMPREL) tables[1].at = d->d_un.d_ptr;
      if (d->d_tag == DT_PLTRELSZ) tables[1].bytes = d->d_un.d_val;
    }
  }
  if (!symbols || !strings) return 0;
  for (const auto& table : tables)
    for (size_t i = 0; table.at && i < table.bytes / sizeof(ElfW(Rela)); ++i) {
      const auto& symbol = symbols[ELF64_R_SYM(reinterpret_cast<const ElfW(Rela)*>(table.at)[i].r_info)];
      if (symbol.st_shndx == SHN_UNDEF && symbol.st_name)
        look_at(strings + symbol.st_name, *static_cast<Imports*>(data));
    }
  return 0;
}

}  // namespace

Imports find_imports() {
  Imports imports{};
  dl_iterate_phdr(look_at_module, &imports);
  return imports;
}

const Module imports_module = {
    .name = "what the program calls",
    .start =
        [] {
          imports = find_imports();
          if (imports.outside_threads) notice(FactKind::OutsideThread);
        },
};

}  // namespace lockstep::rt
