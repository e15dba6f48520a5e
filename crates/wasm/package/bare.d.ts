/** The package without its module, for who gets that in another way. */

export * from "./index.js";

/**
 * Sets the module up: `macs.wasm`, or `macs.simd128.wasm` where an engine has simd128. Once, and
 * before anything else is called.
 */
export function start(module: WebAssembly.Module): void;
