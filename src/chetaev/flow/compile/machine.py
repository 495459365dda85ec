"""LLVM: from a module's text to machine code in memory, through the cache.

No compiler is needed on the user's machine; llvmlite carries LLVM. Code is made for the processor it runs
on, and the cache knows processors apart.

>>> ir = "define double @twice(double %x) { %y = fadd double %x, %x  ret double %y }"
>>> import ctypes
>>> library = compile_text(ir)
>>> ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(library.address("twice"))(3.5)
7.0
"""

from __future__ import annotations

import ctypes
import ctypes.util
import logging as logging  # here, so that its own care for forks begins before a fork is under way
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from chetaev.errors import ModelError

LIBM = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "log", "log1p", "expm1", "pow", "fmod", "hypot", "erf", "fma",
)  # fmt: skip
"""Functions of the C library that compiled code may call."""


@dataclass(frozen=True)
class Processor:
    """What code is made for: a processor's name, its features as LLVM writes them, doubles in a vector."""

    cpu: str
    features: str
    lanes: int

    @cached_property
    def fingerprint(self) -> str:
        """What compiled code depends on besides its text."""
        version = ".".join(map(str, llvm.llvm_version_info))
        return f"{llvmlite.__version__} {version} {llvm.get_default_triple()} {self.cpu} {self.features}"


@cache
def host() -> Processor:
    """The processor that runs us; LLVM is made ready on the first call."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    wide = features.get("avx512f", False) and features.get("avx512dq", False)
    flat = features.flatten() + (",-prefer-256-bit" if wide else "")
    return Processor(llvm.get_host_cpu_name(), flat, 8 if wide else 4)


@cache
def libm_addresses() -> dict[str, int]:
    """Where the functions of the C library stand."""
    library = ctypes.CDLL(None) if sys.platform != "win32" else ctypes.CDLL("ucrtbase")
    if sys.platform != "win32" and not hasattr(library, "erf"):
        library = ctypes.CDLL(ctypes.util.find_library("m"))
    found = {name: getattr(library, name, None) for name in LIBM}
    return {name: ctypes.cast(f, ctypes.c_void_p).value or 0 for name, f in found.items() if f is not None}


_lock = threading.RLock()
"""Taken while LLVM works."""


def _triple() -> str:
    """What code is made for; in memory, LLVM wants ELF objects on Windows too."""
    return str(llvm.get_default_triple()) + ("-elf" if sys.platform == "win32" else "")


def _target_machine(level: int, processor: Processor) -> Any:
    target = llvm.Target.from_triple(_triple())
    return target.create_target_machine(cpu=processor.cpu, features=processor.features, opt=level, jit=True)


def _optimise(module: Any, machine: Any) -> None:
    """Promote memory to registers and clean up: what code written with variables needs.

    Before that, what is marked ``alwaysinline`` is written out where it is called.
    """
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    builder = llvm.create_pass_builder(machine, options)
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.run(module, builder)


def object_code(ir: str, level: int = 2, optimise: bool = False, processor: Processor | None = None) -> bytes:
    """The object file of a module's text, for this processor if none is given."""
    with _lock:
        machine = _target_machine(level, host() if processor is None else processor)
        module = llvm.parse_assembly(ir)
        module.triple = _triple()
        module.data_layout = str(machine.target_data)
        if optimise:
            _optimise(module, machine)
        return bytes(machine.emit_object(module))


def joined(*texts: str) -> str:
    """Several modules as one: each declaration once."""
    lines = [line for text in texts for line in text.split("\n")]
    declared = dict.fromkeys(line for line in lines if line.startswith("declare"))
    return "\n".join([*declared, *(line for line in lines if not line.startswith("declare"))])


READY = "ready"
"""The name of a function that does nothing."""
RENEW = 500
"""After so many libraries a new linker begins: one that has had thousands is slow, and keeps their names."""


class _Linker:
    """Gives each library the linker it goes to; each library in it is freed by itself."""

    def __init__(self) -> None:
        self.count = 0
        self.current = self.libm = None

    def link(self, builder: Any) -> tuple[Any, str, list[Any]]:
        """The linker, the name of the library in it, and what keeps the library alive."""
        with _lock:
            if self.count % RENEW == 0:
                self.current = llvm.create_lljit_compiler(_target_machine(2, host()))
                libm = llvm.JITLibraryBuilder()
                for function, place in libm_addresses().items():
                    libm.import_symbol(function, place)
                self.libm = libm.link(self.current, "libm")
            self.count += 1
            name = f"chetaev {self.count}"
            return self.current, name, [builder.link(self.current, name), self.libm]


_linker = _Linker()


class Library:
    """Machine code of an object file in memory; it stays there as long as this object lives.

    `known` are functions that it calls besides those of the C library, and where they stand.
    """

    def __init__(self, code: bytes, known: Mapping[str, int] | None = None) -> None:
        host()
        builder = llvm.JITLibraryBuilder().add_object_img(code).add_jit_library("libm").add_current_process()
        for name, place in (known or {}).items():
            builder.import_symbol(name, place)
        self._home, self._name, self._alive = _linker.link(builder)  # the first to go frees the code
        self._addresses: dict[str, int] = {}

    def address(self, name: str) -> int:
        """Where a function starts."""
        if name not in self._addresses:
            try:
                with _lock:
                    found = self._home.lookup(self._name, name)
            except RuntimeError:
                if name != READY:
                    expect_executable_memory()
                raise KeyError(f"the compiled code has no function {name!r}") from None
            self._alive.append(found)
            self._addresses[name] = int(found[name])
        return self._addresses[name]


def expect_executable_memory() -> None:
    """A `ModelError` where nothing may become executable: then a function that does nothing fails too."""
    try:
        compile_text(f"define void @{READY}() {{ ret void }}", 0).address(READY)
    except KeyError:
        raise ModelError(
            "chetaev computes with machine code that it makes in memory, and this system does not let memory "
            "become executable",
            remedy="run it without that restriction (PR_SET_MDWE, MemoryDenyWriteExecute=, or SELinux's "
            "deny_execmem)",
        ) from None


def compile_text(ir: str, level: int = 2, optimise: bool = False) -> Library:
    """Compile a module and load it."""
    return Library(object_code(ir, level, optimise))
