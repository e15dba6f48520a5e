/// <reference lib="esnext.disposable" />

/**
 * Message authentication codes, one at a time or many at once.
 *
 * Whatever a call does not take is a `RangeError` or a `TypeError` of one line that says what would
 * be right. Strings are taken as UTF-8; those for keys stay in the memory of JavaScript, which
 * nobody can wipe, and so do all keys that were handed over: only the copies in here are wiped.
 *
 * Memory that other threads share must not be written, nor grow, during a call.
 */

/** A string, an ArrayBuffer, or a view of one. */
export type Data = string | ArrayBufferLike | ArrayBufferView;

/** Bytes that are no text. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/** How a tag is written. */
export type Encoding = "hex" | "base64" | "base64url";

/** What may be said of a key beside its bytes. */
export interface KeyOptions {
  /** A customization string, of KMAC. */
  customization?: Data;
  /** The length of tags in bytes, where it can be chosen (KMAC, BLAKE2). */
  tagLength?: number;
  /**
   * The length of nonces in bytes, where there are several and one key takes one. UMAC and VMAC
   * take nonces of 8 bytes unless it is said, one length for all messages under a key: shorter ones
   * are filled up with zeros, so that nonces of two lengths can be one.
   */
  nonceLength?: number;
}

/** What may be said of one message. */
export interface MessageOptions extends KeyOptions {
  /** The nonce, where the mac takes one: never the same twice under one key. */
  nonce?: Data;
}

/** What is known of a mac. Sizes are in bytes. */
export interface Info {
  readonly name: string;
  readonly title: string;
  /** `MAC`, `MAC with nonce`, `one-time MAC`, `hash-table function`. */
  readonly kind: string;
  /** `sound`, `conditional`, `legacy`, … */
  readonly standing: string;
  readonly blockSize: number;
  readonly digestSize: number;
  readonly digestSizes: string;
  readonly keySize: number;
  readonly keySizes: string;
  readonly nonceSize: number | null;
  readonly nonceSizes: string | null;
  readonly takesCustomization: boolean;
  /** Whether `tagLength` may be another than `digestSize`. */
  readonly takesTagLength: boolean;
}

/** The names of all macs, in alphabetical order. */
export const algorithms: readonly string[];

/** What is known of the mac of this name. */
export function info(algorithm: string): Info;

/** The tag of one message, under a key that is used once. */
export function digest(
  algorithm: string,
  key: Data,
  message: Data,
  options?: MessageOptions,
): Uint8Array;

/**
 * Whether this is the tag of the message, in constant time. A tag of another length is a
 * `RangeError`.
 */
export function verify(
  algorithm: string,
  key: Data,
  message: Data,
  tag: Bytes,
  options?: MessageOptions,
): boolean;

/** A message piece by piece. */
export function createMac(algorithm: string, key: Data, options?: MessageOptions): Mac;

/** HMAC of a message piece by piece, as `createHmac` of Node.js: `createHmac("sha256", key)`. */
export function createHmac(hash: string, key: Data): Mac;

/**
 * A key that is set up once, for many messages. It stays in memory until `free` wipes it, or some
 * time after nobody can reach it any more.
 *
 * A key of a one-time MAC (Poly1305) is for one message, also under `Key`, `Batch` and `digest`,
 * which do not count: a second tag lets others forge.
 */
export class Key {
  constructor(algorithm: string, key: Data, options?: KeyOptions);
  readonly name: string;
  readonly blockSize: number;
  readonly digestSize: number;
  /** The tag of a message. */
  digest(message: Data, nonce?: Data): Uint8Array;
  /**
   * Whether this is the tag of the message, in constant time. A tag of another length is a
   * `RangeError`.
   */
  verify(message: Data, tag: Bytes, nonce?: Data): boolean;
  /** A message piece by piece under this key. */
  createMac(options?: { nonce?: Data }): Mac;
  /** Wipes the key. */
  free(): void;
  /** The same, at the end of `using`. */
  [Symbol.dispose](): void;
}

/**
 * A message under way. Its tag ends it, and wipes its key: what is called on it after `digest` or
 * `verify` is a `TypeError`.
 */
export class Mac {
  private constructor();
  readonly name: string;
  readonly blockSize: number;
  readonly digestSize: number;
  /** Takes the next piece. */
  update(data: Data): this;
  /** The tag of all pieces. */
  digest(): Uint8Array;
  digest(encoding: Encoding): string;
  digest(encoding?: Encoding): Uint8Array | string;
  /**
   * Whether this is the tag of all pieces, in constant time. A tag of another length is a
   * `RangeError`, and no end.
   */
  verify(tag: Bytes): boolean;
  /**
   * Another message that begins with the same pieces. With a nonce, and for one-time macs
   * (Poly1305), it is a `TypeError`: tags of two messages under one nonce, or under such a key, let
   * others forge more.
   */
  copy(): Mac;
  /** Ends it without a tag. */
  free(): void;
  /** The same, at the end of `using`. */
  [Symbol.dispose](): void;
}

/** What may be said of many messages. */
export interface BatchOptions {
  /**
   * The number of each message's key. Without it, one key is for all messages, and as many keys as
   * messages are for one each.
   */
  keyIndex?: ArrayLike<number>;
  /** The nonces of all messages, of one length, one behind the other. */
  nonces?: Data;
}

/** Keys of one mac that are set up once, for many messages in one call. */
export class Batch {
  constructor(algorithm: string, keys: Iterable<Data>, options?: { nonceLength?: number });
  readonly name: string;
  readonly digestSize: number;
  /** How many keys there are. */
  readonly size: number;
  /** The tag of each message. */
  digests(messages: Iterable<Data>, options?: BatchOptions): Uint8Array[];
  /**
   * The tags, one behind the other, of messages in one buffer: message i is
   * `data[offsets[i]..offsets[i + 1]]`, so that there is one offset more than messages. They are
   * written to `out` if it is there, which may be where the data are.
   */
  digestsPacked(
    data: Data,
    offsets: ArrayLike<number>,
    options?: BatchOptions & { out?: Uint8Array },
  ): Uint8Array;
  /**
   * A byte for each message, in constant time: 1 if its tag is right, 0 if it is not. Tags of
   * another length in all than the messages have are a `RangeError`.
   */
  verifyPacked(
    data: Data,
    offsets: ArrayLike<number>,
    tags: Bytes,
    options?: BatchOptions,
  ): Uint8Array;
  /** Wipes the keys. */
  free(): void;
  /** The same, at the end of `using`. */
  [Symbol.dispose](): void;
}
