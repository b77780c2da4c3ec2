"""Run a WebAssembly program for WASI: run_wasi.py PROGRAM."""

import sys

import wasmtime

engine = wasmtime.Engine()
linker = wasmtime.Linker(engine)
linker.define_wasi()
store = wasmtime.Store(engine)
wasi = wasmtime.WasiConfig()
wasi.argv = sys.argv[1:]
wasi.inherit_env()
wasi.inherit_stdout()
wasi.inherit_stderr()
store.set_wasi(wasi)
instance = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
try:
    instance.exports(store)["_start"](store)
except wasmtime.ExitTrap as exit_:
    sys.exit(exit_.code)
