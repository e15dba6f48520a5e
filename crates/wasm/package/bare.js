// The package without its module, for who gets that in another way: bundlers that inline it, runtimes
// that compile it beforehand.

export { start } from "./module.js";
export * from "./api.js";
