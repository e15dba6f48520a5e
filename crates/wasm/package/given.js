// What a caller hands over, as bytes.

import { catalog, checked, put, wasm } from "./module.js";

const encoder = new TextEncoder();

export const NONE = new Uint8Array(0);

// The bytes of a string in UTF-8, of an ArrayBuffer, or of a view of one.
export function bytesOf(data, what) {
  if (typeof data === "string") {
    return encoder.encode(data);
  }
  if (!(data instanceof Uint8Array)) {
    return viewed(data, what);
  }
  // The bytes that a worker was given are not here any more: no tag is that of none.
  return data.length === 0 ? viewed(data, what) : data;
}

function viewed(data, what) {
  if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
  if (isBuffer(data)) {
    // Of this length, also where it grows.
    return new Uint8Array(data, 0, data.byteLength);
  }
  throw new TypeError(`${what}: a string, an ArrayBuffer or a view is required, not ${kindOf(data)}`);
}

function isBuffer(data) {
  return (
    data instanceof ArrayBuffer ||
    (typeof SharedArrayBuffer !== "undefined" && data instanceof SharedArrayBuffer)
  );
}

// A tag has no text in UTF-8.
export function tagOf(data, what = "tag") {
  if (!ArrayBuffer.isView(data) && !isBuffer(data)) {
    throw new TypeError(`${what}: an ArrayBuffer or a view is required, not ${kindOf(data)}`);
  }
  return bytesOf(data, what);
}

export function nonceOf(nonce) {
  return nonce === undefined ? NONE : bytesOf(nonce, "nonce");
}

// What is said beside the rest, which null does not say.
export function optionsOf(options) {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`options: an object is required, not ${kindOf(options)}`);
  }
  return options;
}

export function kindOf(data) {
  if (data === null || data === undefined) {
    return String(data);
  }
  const kind = typeof data === "object" ? data.constructor?.name || "object" : typeof data;
  return `${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}`;
}

// A length that the module takes, where one is said.
export function lengthOf(len, what) {
  if (len === undefined) {
    return -1;
  }
  if (!Number.isInteger(len) || len < 0 || len >= 2 ** 31) {
    throw new RangeError(`${what} is a whole number of bytes, not ${String(len)}`);
  }
  return len;
}

// The row of this name.
export function rowOf(algorithm) {
  const row = catalog.get(algorithm);
  return row === undefined ? unknown(algorithm) : row;
}

function unknown(algorithm) {
  if (typeof algorithm !== "string") {
    throw new TypeError(`algorithm: a name is required, not ${kindOf(algorithm)}`);
  }
  if (wasm === undefined) {
    throw new Error("macs-wasm was not started: call start, or import macs-wasm itself");
  }
  // The module says which names are near.
  const name = encoder.encode(algorithm.slice(0, 100));
  put(name, 0);
  checked(wasm.unknown_name(name.length));
}
