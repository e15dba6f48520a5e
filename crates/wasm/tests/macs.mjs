// The package as it is installed, or one of its builds by MACS_WASM_BUILD: the other one is tested on
// the same engine, too.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { resolve } = createRequire(import.meta.url);

// Memory is nothing that the package shows.
let instance;
const Instance = WebAssembly.Instance;
WebAssembly.Instance = function (...given) {
  instance = new Instance(...given);
  return instance;
};

async function built(build) {
  const macs = await import("macs-wasm/bare");
  macs.start(new WebAssembly.Module(readFileSync(resolve(`macs-wasm/${build}`))));
  return macs;
}

const build = process.env.MACS_WASM_BUILD;
export const macs = build === undefined ? await import("macs-wasm") : await built(build);

WebAssembly.Instance = Instance;

// All of the module's memory.
export function memory() {
  return Buffer.from(instance.exports.memory.buffer);
}

// Bytes that are the same every time, by the minimal standard generator of Park and Miller.
export function random(seed) {
  let state = seed;
  const below = (bound) => {
    state = (state * 48271) % 0x7fffffff;
    return state % bound;
  };
  const bytes = (len) => Uint8Array.from({ length: len }, () => below(251));
  return { below, bytes };
}

// A key and, where one is taken, a nonce.
export function inputs(rng, name) {
  const { keySize, nonceSize } = macs.info(name);
  const nonce = nonceSize === null ? undefined : rng.bytes(nonceSize);
  if (nonce && name.startsWith("vmac")) {
    nonce[0] &= 0x7f;
  }
  return { key: rng.bytes(keySize), nonce };
}
