from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Callable, Final, Protocol, TypeAlias, TypeVar, final, overload
from typing_extensions import Buffer

__all__ = [
    "Batch",
    "Composition",
    "Digests",
    "Key",
    "Mac",
    "TagMismatch",
    "__version__",
    "_empty_call",
    "_leave_out",
    "algorithms",
    "compositions",
    "digest",
    "info",
    "new",
]

_HashOf: TypeAlias = str | Callable[[], Any] | ModuleType
# Which key each message is under, counted from 0: a list, an `array.array`, a NumPy array.
_Integers: TypeAlias = Buffer | Sequence[int]
_Out = TypeVar("_Out", bound=Buffer)

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

__version__: Final[str]

algorithms: Final[tuple[str, ...]]
"""Names of all MACs: what `new`, `digest`, `Key` and `Batch` take."""

compositions: Final[tuple[str, ...]]
"""Names of all encryptions with authentication: what `Composition` takes."""

class TagMismatch(ValueError):
    """The tag does not belong to this message and key."""

def new(
    key: Buffer,
    msg: Buffer | None = None,
    digestmod: _HashOf | None = None,
    *,
    nonce: Buffer | None = None,
    customization: Buffer | None = None,
    tag_len: int | None = None,
    nonce_len: int | None = None,
) -> Mac:
    """A message under a new key, as `hmac.new`.

    `digestmod` is the name of a hash, for HMAC over it (`"sha256"`), any name of `algorithms`
    (`"cmac-aes-128"`), or a hash of `hashlib`; hashes also as OpenSSL spells them (`"SHA2-256"`). A
    MAC that takes a nonce needs one; none may be used twice under a key. `tag_len` is a length in
    bytes, for KMAC and BLAKE2; KMAC takes a customization string, too. `nonce_len` as of `Key`.
    """

def digest(
    key: Buffer, msg: Buffer, digest: _HashOf, *, nonce: Buffer | None = None
) -> bytes:
    """The tag of one message under one key, as `hmac.digest`."""

def info(name: str) -> dict[str, Any]:
    """What is known of a MAC: sizes in bytes, what it asks of nonces, how far to rely on it, its
    proof and its bound, the code path that runs on this processor."""

def _empty_call(msg: Buffer) -> bytes: ...
def _leave_out(instructions: list[str]) -> None: ...
@final
class Mac:
    """A message piece by piece, in the shape of `hmac.HMAC`; `new` and `Key.new_message` begin one.

    Threads may share it: pieces are taken in the order in which they come.

    With a nonce, and for one-time MACs (Poly1305), it is for one tag: tags of two messages under one
    nonce, or such a key, let others forge more. After the tag was told or checked, `update` is a
    `ValueError`, and `copy` always is.
    """

    def update(self, msg: Buffer) -> None:
        """Takes the next piece of the message; a `ValueError` where it would lead to a second tag
        under one nonce, or one-time key."""

    def digest(self) -> bytes:
        """The tag of the pieces taken so far; more may come, but under a nonce or a one-time key."""

    def hexdigest(self) -> str:
        """The same in hexadecimal."""

    def verify(self, tag: Buffer) -> None:
        """Checks a tag in constant time; raises `TagMismatch` if it is not the message's, and a
        `ValueError` that is no `TagMismatch` if it has a length that cannot be."""

    def copy(self) -> Mac:
        """Another message that begins with the same pieces; a `ValueError` under a nonce or a
        one-time key."""

    @property
    def name(self) -> str:
        """Catalog name of the MAC."""

    @property
    def digest_size(self) -> int:
        """Length of the tag in bytes."""

    @property
    def block_size(self) -> int:
        """Length in bytes of the blocks of what the MAC is built on."""

    def __copy__(self) -> Mac: ...

@final
class Key:
    """A MAC with its key, prepared for many messages. It never changes, and threads share it without
    a lock. Its own copy of the key is wiped when it is deleted; the object that the key came in is
    not, which Python cannot do.

    UMAC and VMAC take nonces of 8 bytes unless `nonce_len` says otherwise, one length for all
    messages under a key: shorter ones are filled up with zeros, so that `b"\\x01"` and
    `b"\\x00\\x01"` are one nonce of VMAC, and `b"\\x04"` and `b"\\x04\\x00"` one of UMAC.

    A key of a one-time MAC (Poly1305) is for one message, also under `Key`, `Batch` and `digest`,
    which do not count: a second tag lets others forge.
    """

    def __new__(
        cls,
        algorithm: str,
        key: Buffer,
        *,
        customization: Buffer | None = None,
        tag_len: int | None = None,
        nonce_len: int | None = None,
    ) -> Key: ...
    def digest(self, msg: Buffer, nonce: Buffer | None = None) -> bytes:
        """The tag of a message; with a nonce where the MAC takes one."""

    def verify(self, msg: Buffer, tag: Buffer, nonce: Buffer | None = None) -> None:
        """Checks a tag in constant time; raises `TagMismatch` if it is not the message's, and a
        `ValueError` that is no `TagMismatch` if it has a length that cannot be."""

    def new_message(self, msg: Buffer | None = None, *, nonce: Buffer | None = None) -> Mac:
        """A message piece by piece, under this key."""

    @property
    def name(self) -> str:
        """Catalog name of the MAC."""

    @property
    def digest_size(self) -> int:
        """Length of a tag in bytes."""

    @property
    def block_size(self) -> int:
        """Length in bytes of the blocks of what the MAC is built on."""

    def __copy__(self) -> Key: ...
    def __deepcopy__(self, memo: object, /) -> Key: ...

@final
class Batch:
    """The prepared keys of one MAC, for many messages in one call. It never changes, and threads share
    it without a lock.

    `key_index` says which key each message is under, counted from 0. Without it, one key is for all
    messages, and as many keys as messages are for one each. `nonces` has a nonce for each message, all
    of one length, one behind the other.
    """

    def __new__(
        cls, algorithm: str, keys: Iterable[Buffer], *, nonce_len: int | None = None
    ) -> Batch: ...
    def digests(
        self,
        messages: Iterable[Buffer],
        key_index: _Integers | None = None,
        *,
        nonces: Buffer | None = None,
    ) -> list[bytes]:
        """The tags of a list of messages."""

    @overload
    def digests_packed(
        self,
        data: Buffer,
        offsets: _Integers,
        key_index: _Integers | None = None,
        out: None = None,
        *,
        nonces: Buffer | None = None,
    ) -> bytes:
        """The tags, one behind the other, of messages that lie in one buffer.

        Message i is `data[offsets[i]:offsets[i + 1]]`, so that there is one offset more than messages,
        as in Arrow; integers of 4 or 8 bytes. The tags are written into `out`, which is returned, or
        are new `bytes`; it may be anything writable in one piece, also where the data are.
        """

    @overload
    def digests_packed(
        self,
        data: Buffer,
        offsets: _Integers,
        key_index: _Integers | None,
        out: _Out,
        *,
        nonces: Buffer | None = None,
    ) -> _Out: ...
    @overload
    def digests_packed(
        self,
        data: Buffer,
        offsets: _Integers,
        key_index: _Integers | None = None,
        *,
        out: _Out,
        nonces: Buffer | None = None,
    ) -> _Out: ...
    def digests_arrow(
        self,
        column: _ArrowArray | _ArrowStream,
        key_index: _Integers | None = None,
        *,
        nonces: Buffer | None = None,
    ) -> Digests:
        """The tags of a column of binary or text, of any library that has Arrow's PyCapsule protocol:
        a column of Polars or pyarrow (a table is none: take its column first); null for nulls. The
        column is not copied."""

    def verify_packed(
        self,
        data: Buffer,
        offsets: _Integers,
        tags: Buffer,
        key_index: _Integers | None = None,
        *,
        nonces: Buffer | None = None,
    ) -> bytes:
        """Checks the tags of messages that lie in one buffer, each in constant time: a byte for each,
        1 if its tag is right and 0 if it is not."""

    @property
    def name(self) -> str:
        """Catalog name of the MAC."""

    @property
    def digest_size(self) -> int:
        """Length of a tag in bytes."""

    def __len__(self) -> int: ...
    def __copy__(self) -> Batch: ...
    def __deepcopy__(self, memo: object, /) -> Batch: ...

@final
class Digests:
    """A column of tags, `fixed_size_binary` of Arrow: `pyarrow.array(digests)`,
    `polars.Series(digests)`. Null where the message was null."""

    @property
    def digest_size(self) -> int:
        """Length of each tag in bytes."""

    def to_list(self) -> list[bytes | None]:
        """The tags as a list, `None` for nulls."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __len__(self) -> int: ...

@final
class Composition:
    """Authenticated encryption under a prepared key. It never changes, and threads share it
    without a lock. A nonce must never be used twice under a key. `allow_short` is for tags of GCM
    below 12 bytes, where each costs more than its own bits."""

    def __new__(
        cls, algorithm: str, key: Buffer, *, tag_len: int | None = None, allow_short: bool = False
    ) -> Composition: ...
    def seal(
        self, nonce: Buffer, msg: Buffer, associated_data: Buffer | None = None
    ) -> bytes:
        """The ciphertext of a message with the tag behind it."""

    def open(
        self, nonce: Buffer, sealed: Buffer, associated_data: Buffer | None = None
    ) -> bytes:
        """The message that was sealed; raises `TagMismatch` if it was not sealed so, with this nonce
        and these data, and a `ValueError` that is no `TagMismatch` if what was sealed has a length
        that cannot be."""

    @property
    def name(self) -> str:
        """Catalog name of the composition."""

    @property
    def tag_size(self) -> int:
        """Length of the tag in bytes."""

    def __copy__(self) -> Composition: ...
    def __deepcopy__(self, memo: object, /) -> Composition: ...
