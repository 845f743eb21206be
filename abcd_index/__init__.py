"""abcd-index: the right memory page at the moment a prompt touches it.

The public API is ``build``, ``verify``, ``recall``, ``search`` and the records that they return; ``abcd_index.api``
documents each. Importing the package imports nothing: the prompt path passes through here.
"""

import sys

__version__ = "0.1.0"
__all__ = [
    "AbcdError",
    "BuildReport",
    "Finding",
    "PageRecall",
    "PromptRecall",
    "SearchResult",
    "VerifyReport",
    "__version__",
    "build",
    "recall",
    "search",
    "verify",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Callable

    from abcd_index.api import (
        AbcdError,
        BuildReport,
        Finding,
        PageRecall,
        PromptRecall,
        SearchResult,
        VerifyReport,
        build,
        recall,
        search,
        verify,
    )
else:
    ModuleType = type(sys)


def _of_the_api(name: str) -> "Callable[..., object]":
    from importlib import import_module

    found: Callable[..., object] = getattr(import_module("abcd_index.api"), name)
    return found


def __getattr__(name: str) -> object:
    if name in __all__:
        return _of_the_api(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Room(ModuleType):
    """A package of this one that is called like a function of the API: whoever imported it can still call it."""

    def __call__(self, *args: object, **options: object) -> object:
        return _of_the_api(self.__name__.rpartition(".")[2])(*args, **options)


class _Package(ModuleType):
    """This package. The import of ``abcd_index.build`` binds the name ``build`` here to a package, which would take
    the place of the function."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in __all__ and type(value) is ModuleType:
            value.__class__ = _Room
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
