// One message at a time: under a key that is used once, under one that is set up, piece by piece.

import { bytesOf, kindOf, lengthOf, nonceOf, NONE, optionsOf, rowOf, tagOf } from "./given.js";
import {
  AREA_LEN,
  checked,
  given,
  keep,
  put,
  release,
  released,
  taken,
  wasm,
} from "./module.js";
import { encoderOf } from "./text.js";

// What `freed` objects have in place of a number.
const FREED = -1;

// A key that is set up, and stays until it is freed.
export class Key {
  #number;

  constructor(algorithm, key, options = {}) {
    const { number, info } = rowOf(algorithm);
    const { nonceLength } = optionsOf(options);
    this.#number = keep(this, newKey(number, key, options, nonceLength));
    this.name = info.name;
    this.blockSize = info.blockSize;
    this.digestSize = options.tagLength ?? info.digestSize;
    Object.freeze(this);
  }

  digest(message, nonce) {
    const data = bytesOf(message, "message");
    const once = nonceOf(nonce);
    // Behind what may run code of the caller's.
    const number = this.#live();
    if (once.length + data.length > AREA_LEN) {
      return piecewise(number, once, data, (mac) => taken(wasm.mac_tag(mac), this.digestSize));
    }
    put(once, 0);
    put(data, once.length);
    return taken(wasm.key_tag(number, once.length, data.length), this.digestSize);
  }

  verify(message, tag, nonce) {
    const data = bytesOf(message, "message");
    const right = tagOf(tag);
    const once = nonceOf(nonce);
    const number = this.#live();
    const [dataAt, tagAt] = [once.length, once.length + data.length];
    if (tagAt + right.length > AREA_LEN) {
      return piecewise(number, once, data, (mac) => verified(mac, right));
    }
    put(once, 0);
    put(data, dataAt);
    put(right, tagAt);
    return checked(wasm.key_verify(number, once.length, data.length, right.length)) === 1;
  }

  createMac(options = {}) {
    const once = nonceOf(optionsOf(options).nonce);
    return begun(checked(wasm.mac_new(this.#live())), this, once);
  }

  free() {
    if (this.#number !== FREED) {
      release(this, this.#number);
      this.#number = FREED;
    }
  }

  #live() {
    if (this.#number === FREED) {
      throw new TypeError("this Key was freed");
    }
    return this.#number;
  }
}

// A message under way, until its tag was computed. `only` is what is for one tag, and must not serve
// for another: with tags of two messages under one nonce, anybody can forge more.
export class Mac {
  #number;
  #only;

  constructor(secret, number, facts, only) {
    if (secret !== OURS) {
      throw new TypeError("a Mac comes from createMac, createHmac or a Key");
    }
    this.#number = keep(this, number);
    this.#only = only;
    this.name = facts.name;
    this.blockSize = facts.blockSize;
    this.digestSize = facts.digestSize;
    Object.freeze(this);
  }

  update(data) {
    const piece = bytesOf(data, "data");
    update(this.#live(), piece);
    return this;
  }

  digest(encoding) {
    const encoded = encoderOf(encoding);
    const tag = taken(wasm.mac_tag(this.#live()), this.digestSize);
    this.#end();
    return encoded(tag);
  }

  verify(tag) {
    const right = tagOf(tag);
    const isRight = verified(this.#live(), right);
    this.#end();
    return isRight;
  }

  copy() {
    const number = this.#live();
    if (this.#only !== undefined) {
      const said = `${this.name}: a second tag under one ${this.#only} would let others forge tags`;
      throw new TypeError(`${said}; begin a new message with a new ${this.#only}`);
    }
    return new Mac(OURS, checked(wasm.mac_new(number)), this);
  }

  free() {
    if (this.#number !== FREED) {
      release(this, this.#number);
      this.#number = FREED;
    }
  }

  // The module has freed it with its tag.
  #end() {
    released(this);
    this.#number = FREED;
  }

  #live() {
    if (this.#number === FREED) {
      throw new TypeError("this Mac is over: its tag was computed, or it was freed");
    }
    return this.#number;
  }
}

const OURS = Symbol("ours");

// Where there is no `using` yet, this is nothing that anybody calls.
if (Symbol.dispose !== undefined) {
  for (const { prototype } of [Key, Mac]) {
    Object.defineProperty(prototype, Symbol.dispose, { value: prototype.free });
  }
}

export function digest(algorithm, key, message, options = {}) {
  const { number, info } = rowOf(algorithm);
  const [secret, data] = [bytesOf(key, "key"), bytesOf(message, "message")];
  const once = nonceOf(optionsOf(options).nonce);
  const len = secret.length + once.length + data.length;
  if (len > AREA_LEN || isSpecial(options)) {
    return withKey(algorithm, key, options, (prepared) => prepared.digest(data, options.nonce));
  }
  put(secret, 0);
  put(once, secret.length);
  put(data, secret.length + once.length);
  const at = wasm.tag_once(number, secret.length, once.length, data.length);
  return taken(at, info.digestSize);
}

export function verify(algorithm, key, message, tag, options = {}) {
  const { number } = rowOf(algorithm);
  const parts = [
    bytesOf(key, "key"),
    nonceOf(optionsOf(options).nonce),
    bytesOf(message, "message"),
    tagOf(tag),
  ];
  const len = parts.reduce((sum, part) => sum + part.length, 0);
  if (len > AREA_LEN || isSpecial(options)) {
    const check = (prepared) => prepared.verify(parts[2], tag, options.nonce);
    return withKey(algorithm, key, options, check);
  }
  return given(parts, (...sizes) => checked(wasm.verify_once(number, ...sizes)) === 1);
}

export function createMac(algorithm, key, options = {}) {
  const { number, info } = rowOf(algorithm);
  const { name, blockSize } = info;
  const nonce = nonceOf(optionsOf(options).nonce);
  const mac = newKey(number, key, options, options.nonceLength);
  return begun(mac, { name, blockSize, digestSize: options.tagLength ?? info.digestSize }, nonce);
}

export function createHmac(hash, key) {
  if (typeof hash !== "string") {
    throw new TypeError(`hash: a name is required, not ${kindOf(hash)}`);
  }
  return createMac(`hmac-${hash.toLowerCase()}`, key);
}

export function emptyCall(message) {
  const data = bytesOf(message, "message");
  put(data, 0);
  return taken(wasm.empty_call(data.length), 8);
}

function isSpecial({ customization, tagLength, nonceLength }) {
  return customization !== undefined || tagLength !== undefined || nonceLength !== undefined;
}

function withKey(algorithm, key, options, work) {
  const prepared = new Key(algorithm, key, options);
  try {
    return work(prepared);
  } finally {
    prepared.free();
  }
}

function newKey(row, key, { customization, tagLength }, nonceLength) {
  const secret = bytesOf(key, "key");
  const text = customization === undefined ? NONE : bytesOf(customization, "customization");
  const tagLen = lengthOf(tagLength, "tagLength");
  const nonceLen = lengthOf(nonceLength, "nonceLength");
  const call = (secretLen, textLen) =>
    checked(wasm.key_new(row, secretLen, textLen, tagLen, nonceLen));
  if (secret.length + text.length > AREA_LEN) {
    return given([secret, text], call);
  }
  put(secret, 0);
  put(text, secret.length);
  return call(secret.length, text.length);
}

function begun(number, facts, nonce) {
  try {
    setNonce(number, nonce);
    return new Mac(OURS, number, facts, onlyOnce(facts.name, nonce));
  } catch (error) {
    wasm.object_free(number);
    throw error;
  }
}

// What of this message is for one tag.
function onlyOnce(name, nonce) {
  if (nonce.length > 0) {
    return "nonce";
  }
  return rowOf(name).info.kind === "one-time MAC" ? "key" : undefined;
}

function setNonce(number, nonce) {
  if (nonce.length > 0) {
    given([nonce], (len) => checked(wasm.mac_nonce(number, len)));
  }
}

function update(number, data) {
  for (let at = 0; at < data.length; at += AREA_LEN) {
    const piece = data.subarray(at, at + AREA_LEN);
    put(piece, 0);
    checked(wasm.mac_update(number, piece.length));
  }
}

function verified(number, tag) {
  return given([tag], (len) => checked(wasm.mac_verify(number, len)) === 1);
}

// A message that is longer than the input area, under a key that is set up.
function piecewise(key, nonce, data, finish) {
  const mac = checked(wasm.mac_new(key));
  let isOver = false;
  try {
    setNonce(mac, nonce);
    update(mac, data);
    const result = finish(mac);
    isOver = true;
    return result;
  } finally {
    if (!isOver) {
      wasm.object_free(mac);
    }
  }
}
