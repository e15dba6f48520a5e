// Which build this engine can run.

// (func (drop (v128.const i64x2 0 0))), for which an engine needs simd128.
const NEEDS_SIMD128 = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
  ...[1, 4, 1, 0x60, 0, 0], // one type: () -> ()
  ...[3, 2, 1, 0], // one function, of this type
  ...[10, 23, 1, 21, 0, 0xfd, 12, ...new Array(16).fill(0), 0x1a, 0x0b],
]);

export function fileName() {
  return WebAssembly.validate(NEEDS_SIMD128) ? "./macs.simd128.wasm" : "./macs.wasm";
}
