// The package in Node.js: the module is read and compiled before anything else, so that `require`
// can have it, too.

import { readFileSync } from "node:fs";
import { start } from "./bare.js";
import { fileName } from "./file_name.js";

start(new WebAssembly.Module(readFileSync(new URL(fileName(), import.meta.url))));

export * from "./api.js";
