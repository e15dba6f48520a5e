// The package in browsers: the module is fetched while this file is loaded.

import { start } from "./bare.js";
import { fileName } from "./file_name.js";

// Spelled out, so that bundlers see both files.
const address =
  fileName() === "./macs.wasm"
    ? new URL("./macs.wasm", import.meta.url)
    : new URL("./macs.simd128.wasm", import.meta.url);

async function compiled() {
  const response = await fetch(address);
  if (!response.ok) {
    throw new Error(`${address}: ${response.status} ${response.statusText}`);
  }
  // While it comes in, where the server says what it is.
  return response.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

start(await compiled());

export * from "./api.js";
