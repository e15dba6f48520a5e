"""Message authentication codes: HMAC, CMAC and many more, by name, one at a time or many at once.

`new` and `digest` have the shape of those in `hmac`. A `Key` is prepared once and shared by threads;
a `Batch` computes many messages under many keys in one call, side by side in vector registers.
Wrong input is a `ValueError` that says what would be right, a wrong tag a `TagMismatch`.
"""

from hmac import compare_digest

from ._macs import (
    Batch,
    Composition,
    Digests,
    Key,
    Mac,
    TagMismatch,
    __version__,
    algorithms,
    compositions,
    digest,
    info,
    new,
)

__all__ = [
    "Batch",
    "Composition",
    "Digests",
    "Key",
    "Mac",
    "TagMismatch",
    "__version__",
    "algorithms",
    "compare_digest",
    "compositions",
    "digest",
    "info",
    "new",
]
