// The WebAssembly module: its memory, what goes in, what comes out, errors. What a call takes is
// written into the input area, one thing behind the other; the module wipes it there. What comes
// out is wiped here once it is copied.

import { catalogOf } from "./catalog.js";

// Longer messages go in by pieces of this length.
export const AREA_LEN = 2 ** 16;

// What the module exports.
export let wasm;

// What is known of each mac, and its names.
export let catalog = new Map();
export let algorithms = Object.freeze([]);

// Of the module's memory. When that grows, its old buffer has no bytes any more.
let bytes = new Uint8Array(0);
let area = { at: 0, len: 0 };
// The input area, and no byte beyond it: what is written may have grown since its length was read,
// where other threads share it. As `bytes`, it has none when the memory has grown.
let place = new Uint8Array(0);

const MISSING = -2;

// The module's addresses are smaller (build.rs).
const MEMORY_LEN = 2 ** 31;
const decoder = new TextDecoder();

// Sets up this compiled module, once, before anything else is called.
export function start(module) {
  if (wasm !== undefined) {
    throw new Error("macs-wasm was started already");
  }
  if (!(module instanceof WebAssembly.Module)) {
    throw new TypeError("start takes a WebAssembly.Module");
  }
  wasm = new WebAssembly.Instance(module, {}).exports;
  resize(AREA_LEN);
  checked(wasm.catalog_text());
  catalog = catalogOf(decoder.decode(output()));
  algorithms = Object.freeze([...catalog.keys()]);
}

function memory() {
  if (bytes.length === 0) {
    bytes = new Uint8Array(wasm.memory.buffer);
  }
  return bytes;
}

function resize(len) {
  if (len > MEMORY_LEN) {
    throw new RangeError(`there is no memory for ${len} bytes more`);
  }
  const at = checked(wasm.input_resize(len));
  area = { at, len };
  place = new Uint8Array(0);
}

// Makes room for this much, and no more than is usual when it is 0.
export function reserve(len) {
  if (Math.max(len, AREA_LEN) !== area.len) {
    resize(Math.max(len, AREA_LEN));
  }
}

// Writes these bytes into the input area; a `RangeError` for more than fits.
export function put(data, at) {
  if (data.length > 0) {
    if (place.length === 0) {
      place = new Uint8Array(wasm.memory.buffer, area.at, area.len);
    }
    try {
      place.set(data, at);
    } catch (error) {
      // What was put before it is not left there.
      place.fill(0);
      throw error;
    }
  }
}

// Does this with these parts in the input area, one behind the other, however long they are.
export function given(parts, call) {
  reserve(parts.reduce((sum, part) => sum + part.length, 0));
  try {
    let at = 0;
    for (const part of parts) {
      put(part, at);
      at += part.length;
    }
    return call(...parts.map((part) => part.length));
  } finally {
    reserve(0);
  }
}

// The beginning of the input area as whole numbers.
export function numbers(count) {
  return new Uint32Array(memory().buffer, area.at, count);
}

// What a call returned, which is an error if it is negative.
export function checked(status) {
  if (status < 0) {
    const words = decoder.decode(output());
    throw status === MISSING ? new TypeError(words) : new RangeError(words);
  }
  return status;
}

function output() {
  return memory().subarray(wasm.output_at(), wasm.output_at() + wasm.output_len());
}

// What a call has put out, for which it returned an address.
export function taken(at, len) {
  checked(at);
  const all = memory();
  const copy = all.slice(at, at + len);
  all.fill(0, at, at + len);
  return copy;
}

// Keys and messages under way that nobody can reach any more are wiped as well, some time.
const forgotten = new FinalizationRegistry((number) => wasm.object_free(number));

export function keep(object, number) {
  forgotten.register(object, number, object);
  return number;
}

export function release(object, number) {
  forgotten.unregister(object);
  wasm.object_free(number);
}

// Of what the module has freed already.
export function released(object) {
  forgotten.unregister(object);
}
