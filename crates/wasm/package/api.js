// What a program sees; `index.d.ts` says what each does.

export { Batch } from "./batch.js";
export { createHmac, createMac, digest, emptyCall as _emptyCall, Key, Mac, verify } from "./single.js";
export { algorithms } from "./module.js";
import { rowOf } from "./given.js";

export function info(algorithm) {
  return rowOf(algorithm).info;
}
