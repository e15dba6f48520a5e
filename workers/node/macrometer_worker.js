// A macrometer worker: the MACs of this Node.js, measured in JavaScript.
//
// Speaks docs/worker-protocol.md on standard input and output. All macs are those of `crypto`,
// which is OpenSSL inside. Run by the `node` provider (crates/providers/src/programs/node.rs),
// which hands it its name and switches on `gc()`. Needs Node.js 12. As `macs-wasm` (macs_wasm.rs),
// with the folder of our own library's npm package behind its name, it measures that instead.

"use strict";

const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const { pathToFileURL } = require("url");

const MESSAGES = 16;
const MESSAGE_STEP_BYTES = 64;
// A call is a microsecond: these stand for hours, and bound what a bad request can do.
const ITERATIONS_MAX = 1e10;
const SINGLE_MAX = 1e7;
const LEN_MAX = 2 ** 26;
const LINE_MAX_BYTES = 2 ** 26;
const TAG_MAX_BYTES = 2 ** 16;

const WARM_POOL = Buffer.alloc(MESSAGE_STEP_BYTES * MESSAGES);

// Lengths of GCM, CCM and ChaCha20-Poly1305 in timed messages.
const AEAD_NONCE_BYTES = 12;
const AEAD_TAG_BYTES = 16;

// Canonical name of each hash, and OpenSSL's where it is another.
const HASHES = [
  ["md5"],
  ["sha1"],
  ["sha224"],
  ["sha256"],
  ["sha384"],
  ["sha512"],
  ["sha512-224"],
  ["sha512-256"],
  ["sha3-224"],
  ["sha3-256"],
  ["sha3-384"],
  ["sha3-512"],
  ["blake2b", "blake2b512"],
  ["blake2s", "blake2s256"],
];

// What is wrong with a request, in one line.
class BadRequest extends Error {}

// ---- The loops ---------------------------------------------------------------------------------
//
// The statements that make a tag stand in the loops as text: loops that macs shared would be
// compiled for all of them at once. The cells of one mac, key life and regime share theirs. `more`
// holds what the statements name beside key, message, tag, and what is prepared.

function loopsOf(call, chained) {
  const kept = chained ? "chained" : "single";
  call.loops = call.loops || {};
  call.loops[kept] = call.loops[kept] || loops(call, chained);
  return call.loops[kept];
}

function loops({ statements, more }, chained) {
  const mix = chained ? "for (let b = 0; b < head; b++) message[b] ^= tag[b];" : "";
  const source = `"use strict";
    const { createCipheriv, createHmac } = crypto;
    return {
      isWarm: false,
      prove({ prepared, nonce, keys, messages }, count) {
        const tags = [];
        for (let i = 0; i < count; i++) {
          const key = keys[i], message = messages[i];
          let tag;
          ${statements}
          tags.push(Buffer.from(tag));
        }
        return tags;
      },
      run({ prepared, nonce, keys, timedMessages, head }, count, tag) {
        const begin = clock();
        for (let i = 0; i < count; i++) {
          const key = keys[i % ${MESSAGES}], message = timedMessages[i % ${MESSAGES}];
          ${mix}
          ${statements}
        }
        return Number(clock() - begin);
      },
      single({ prepared, nonce, keys, timedMessages, head }, times, tag) {
        for (let i = 0; i < times.length; i++) {
          const key = keys[i % ${MESSAGES}], message = timedMessages[i % ${MESSAGES}];
          ${mix}
          const begin = clock();
          ${statements}
          times[i] = Number(clock() - begin);
        }
      },
    };`;
  const names = Object.assign({ crypto, clock: process.hrtime.bigint }, more);
  // Text from this file only.
  return new Function(...Object.keys(names), source)(...Object.values(names));
}

// ---- What this Node.js can compute -------------------------------------------------------------
//
// A mac has a name, a code path, lengths, and its calls: the statements of each key life. All of
// them name the key `prepared`, a KeyObject made before, or `key`, bytes.

// Makers of all macs; one that is not in this OpenSSL throws.
function* table() {
  for (const [name, inOpenssl = name] of HASHES) {
    yield () => hmac(name, inOpenssl);
  }
  for (const bits of [128, 192, 256]) {
    yield () => gmac(bits);
    yield () => composition(`gcm-aes-${bits}`, `aes-${bits}-gcm`, bits / 8);
    yield () => composition(`ccm-aes-${bits}`, `aes-${bits}-ccm`, bits / 8);
  }
  yield () => composition("chacha20-poly1305", "chacha20-poly1305", 32);
  yield () => empty(() => {});
}

// What a call takes here at least: a function that computes nothing.
function empty(nothing) {
  const constant = Buffer.from("null tag");
  const call = { statements: "nothing(message); tag = constant;", more: { nothing, constant } };
  return {
    name: "null",
    kernel: "none",
    keyLens: [0, LEN_MAX],
    tagLen: constant.length,
    nonceLen: 0,
    calls: { prepared: call },
  };
}

function hmac(name, hash) {
  const call = (key) => ({
    statements: `tag = createHmac(hash, ${key}).update(message).digest();`,
    more: { hash },
  });
  return {
    name: `hmac-${name}`,
    kernel: kernel(name.startsWith("blake2") ? "soft" : "asm"),
    keyLens: [0, LEN_MAX],
    tagLen: crypto.createHash(hash).digest().length,
    nonceLen: 0,
    calls: { prepared: call("prepared"), "new-key": call("key") },
  };
}

// GCM of no message, with the message as associated data.
function gmac(bits) {
  const call = (key) => ({
    statements: `const gcm = createCipheriv(cipher, ${key}, nonce);
      gcm.setAAD(message);
      gcm.final();
      tag = gcm.getAuthTag();`,
    more: { cipher: `aes-${bits}-gcm` },
  });
  return {
    name: `gmac-aes-${bits}`,
    kernel: kernel("asm"),
    keyLens: [bits / 8, bits / 8],
    tagLen: AEAD_TAG_BYTES,
    nonceLen: AEAD_NONCE_BYTES,
    calls: { prepared: call("prepared"), "new-key": call("key") },
  };
}

function composition(name, cipher, keyLen) {
  // GCM has this length without being told.
  const options = cipher.endsWith("gcm") ? undefined : { authTagLength: AEAD_TAG_BYTES };
  const call = (key) => ({
    statements: `const aead = createCipheriv(cipher, ${key}, nonce, options);
      aead.update(message);
      aead.final();
      tag = aead.getAuthTag();`,
    more: { cipher, options },
  });
  return {
    name,
    cipher,
    kernel: kernel("asm"),
    keyLens: [keyLen, keyLen],
    tagLen: AEAD_TAG_BYTES,
    nonceLen: AEAD_NONCE_BYTES,
    calls: { prepared: call("prepared"), "new-key": call("key") },
  };
}

// ---- Our own library, by the calls of its README -----------------------------------------------

// Messages of one call.
const BATCHES = { "batch-4": 4, "batch-16": 16, "batch-64": 64, "batch-256": 256, "batch-64-mixed": 64 };

// The package in this folder, in the build that it takes by itself, or in the other one.
async function macsPackage(folder, isScalar) {
  const module = (name) => import(pathToFileURL(path.join(folder, name)).href);
  const [bare, { fileName }] = [await module("bare.js"), await module("file_name.js")];
  const file = isScalar ? "macs.wasm" : path.basename(fileName());
  const compiled = new WebAssembly.Module(fs.readFileSync(path.join(folder, file)));
  bare.start(compiled);
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  const place = path.join(folder, file);
  return { macs: bare, module: compiled, version, path: place, kernel: kernelOf(file) };
}

function kernelOf(file) {
  return file === "macs.wasm" ? "scalar" : "simd128";
}

// A mac of the package. `prepare` sets a key up, and `release` ends it.
function macsMac({ macs, kernel }, name) {
  const info = macs.info(name);
  const [nonceLen, more] = [info.nonceSize || 0, { macs, name }];
  const [nonce, options] = nonceLen > 0 ? [", nonce", ", { nonce }"] : ["", ""];
  const packed = "digestsPacked(prepared.data, prepared.offsets, prepared.options);";
  const call = (statements) => ({ statements, more });
  return {
    name,
    kernel,
    macs,
    keyLens: [0, LEN_MAX],
    trialKeyLen: info.keySize,
    tagLen: info.digestSize,
    hasLens: info.takesTagLength,
    takesCustomization: info.takesCustomization,
    nonceLen,
    prepare: (key) => new macs.Key(name, key),
    release: (prepared) => prepared.free(),
    calls: {
      prepared: call(`tag = prepared.digest(message${nonce});`),
      "new-key": call(`const fresh = new macs.Key(name, key);
        tag = fresh.digest(message${nonce});
        fresh.free();`),
      "one-shot": call(`tag = macs.digest(name, key, message${options});`),
    },
    batchCalls: {
      prepared: call(`tag = prepared.batch.${packed}`),
      "new-key": call(`const batch = new macs.Batch(name, prepared.keys);
        tag = batch.${packed}
        batch.free();`),
    },
  };
}

// A tag from all possible inputs.
function macsTag({ macs, name, hasLens, takesCustomization }, key, nonce, text, tagLen, message) {
  const options = {};
  if (takesCustomization) {
    options.customization = text;
  }
  if (hasLens) {
    options.tagLength = tagLen;
  }
  if (nonce.length > 0) {
    [options.nonce, options.nonceLength] = [nonce, nonce.length];
  }
  return Buffer.from(macs.digest(name, key, message, options)).subarray(0, tagLen);
}

// Which code path OpenSSL takes inside is not known here, unless a variable has taken away all that
// it may choose from.
function kernel(plain) {
  switch (process.env.OPENSSL_ia32cap) {
    case undefined:
      return "openssl";
    case "0:0":
      return process.arch === "x64" ? plain : "openssl";
    default:
      return "unknown";
  }
}

function seal({ cipher }, key, nonce, data, tagLen, message) {
  checkNonce(cipher, nonce);
  const aead = crypto.createCipheriv(cipher, key, nonce, { authTagLength: tagLen });
  aead.setAAD(data, { plaintextLength: message.length });
  const ciphertext = Buffer.concat([aead.update(message), aead.final()]);
  return { ciphertext, tag: aead.getAuthTag() };
}

// The message, or null for what is not genuine.
function unseal({ cipher }, key, nonce, data, ciphertext, tag) {
  checkNonce(cipher, nonce);
  const aead = crypto.createDecipheriv(cipher, key, nonce, { authTagLength: tag.length });
  aead.setAuthTag(tag);
  aead.setAAD(data, { plaintextLength: ciphertext.length });
  try {
    return Buffer.concat([aead.update(ciphertext), aead.final()]);
  } catch (error) {
    if (/unable to authenticate/.test(error.message)) {
      return null;
    }
    throw error;
  }
}

// OpenSSL would widen a shorter nonce.
function checkNonce(cipher, nonce) {
  if (cipher === "chacha20-poly1305" && nonce.length !== AEAD_NONCE_BYTES) {
    throw new BadRequest(`a nonce of ${nonce.length} bytes; ${AEAD_NONCE_BYTES} are taken`);
  }
}

// Everything that works here: key lives with equal tags, compositions that open what they seal and
// nothing else.
function thatWork(rows) {
  const found = new Map();
  for (const make of rows) {
    try {
      const mac = make();
      if (works(mac)) {
        found.set(mac.name, mac);
      }
    } catch (error) {
      process.stderr.write(`${error}\n`);
    }
  }
  return found;
}

function works(mac) {
  const keyLen = mac.trialKeyLen || Math.min(32, mac.keyLens[1]);
  const key = Buffer.alloc(keyLen).map((_, i) => i + 1);
  const nonce = Buffer.alloc(mac.nonceLen);
  const messages = [Buffer.from("one"), Buffer.alloc(90, "two"), Buffer.from("one")];
  const keys = messages.map(() => key);
  const inputs = { prepared: prepare(mac, key), nonce, keys, messages };
  const tags = Object.values(mac.calls).map((call) => loopsOf(call, false).prove(inputs, 3));
  return (
    tags.every((tags) => tags.every((tag) => tag.length === mac.tagLen)) &&
    tags.every(([first, , last]) => first.equals(last)) &&
    tags.every((tags, _, all) => Buffer.concat(tags).equals(Buffer.concat(all[0]))) &&
    (mac.cipher === undefined || opensWhatItSeals(mac, key, nonce, messages[0]))
  );
}

function opensWhatItSeals(mac, key, nonce, message) {
  const { ciphertext, tag } = seal(mac, key, nonce, Buffer.from("data"), mac.tagLen, message);
  const open = (data) => unseal(mac, key, nonce, Buffer.from(data), ciphertext, tag);
  const opened = open("data");
  return opened !== null && opened.equals(message) && open("date") === null;
}

// The key as the mac's `prepared` calls take it.
function prepare(mac, key) {
  return mac.prepare === undefined ? crypto.createSecretKey(key) : mac.prepare(key);
}

// ---- Cells -------------------------------------------------------------------------------------

// How many calls come untimed before those that are timed: after the other workers had the processor,
// the first call finds cold caches.
function leadIn(calls) {
  return Math.max(Math.floor(calls / 16), 1);
}

// One mac, key life, regime and length, with its keys and messages.
class Cell {
  constructor(mac, call, chained, lenBytes, pool) {
    [this.mac, this.call, this.chained] = [mac, call, chained];
    this.loops = loopsOf(call, chained);
    this.nonce = Buffer.alloc(mac.nonceLen);
    this.head = Math.min(8, lenBytes);
    // Views: the messages overlap in memory, as in the workers of other languages.
    this.messages = cut(pool, lenBytes);
    // In `latency` it writes into its messages, so it has a pool of its own.
    this.timedMessages = chained ? cut(Buffer.from(pool), lenBytes) : this.messages;
  }

  rekey(joined) {
    const keyLen = joined.length - (MESSAGES - 1);
    checkKey(this.mac, keyLen);
    const keyAt = (_, i) => Buffer.from(joined.subarray(i, i + keyLen));
    this.keys = Array.from({ length: MESSAGES }, keyAt);
    this.release();
    this.prepared = prepare(this.mac, this.keys[0]);
  }

  release() {
    if (this.prepared !== undefined && this.mac.release !== undefined) {
      this.mac.release(this.prepared);
    }
  }

  prove(count) {
    return Buffer.concat(this.loops.prove(this, count));
  }

  run(iterations) {
    this.warm();
    // What earlier samples left is not this one's to collect. What this one leaves is: a program
    // cannot do without the collector where each call makes new objects.
    collect();
    this.calls(leadIn(iterations));
    return this.calls(iterations);
  }

  calls(count) {
    return this.loops.run(this, count, Buffer.alloc(this.mac.tagLen));
  }

  single(count) {
    this.warm();
    collect();
    this.calls(leadIn(count));
    const times = new Float64Array(count);
    this.loops.single(this, times, Buffer.alloc(this.mac.tagLen));
    return histogram(times, emptyBracket());
  }

  // The same with short messages.
  short() {
    const short = new Cell(this.mac, this.call, this.chained, 16, WARM_POOL);
    [short.keys, short.prepared] = [this.keys, this.prepared];
    return short;
  }

  // Calls before the first sample, with short messages, until the compiler has done its work:
  // rounds of two milliseconds, until five of them brought nothing; half a second at most.
  warm() {
    const short = this.short();
    let [best, inVain, spent, count] = [Infinity, 0, 0, 16];
    while (!this.loops.isWarm) {
      const elapsed = short.calls(count);
      spent += elapsed;
      inVain = elapsed / count < 0.97 * best ? 0 : inVain + 1;
      best = Math.min(best, elapsed / count);
      count = Math.max(16, Math.ceil(2e6 / best));
      this.loops.isWarm = inVain === 5 || spent > 5e8;
    }
  }
}

// Many messages in one call, packed beforehand as a program has them that takes them from a column or
// from a buffer: messages and keys 0 to 15, again and again.
class BatchCell extends Cell {
  constructor(mac, call, regime, lenBytes, pool) {
    super(mac, call, false, lenBytes, pool);
    this.count = BATCHES[regime];
    const lenOf = (i) =>
      regime === "batch-64-mixed" ? Math.floor((lenBytes * (((7 * i) % 16) + 1)) / 16) : lenBytes;
    const messageAt = (_, i) => this.messages[i % MESSAGES].subarray(0, lenOf(i));
    const messages = Array.from({ length: this.count }, messageAt);
    const offsets = Int32Array.from({ length: this.count + 1 });
    messages.forEach((message, i) => (offsets[i + 1] = offsets[i] + message.length));
    const nonces = mac.nonceLen > 0 ? Buffer.alloc(this.count * mac.nonceLen) : undefined;
    const out = new Uint8Array(this.count * mac.tagLen);
    this.packed = { data: Buffer.concat(messages), offsets, options: { nonces, out } };
  }

  rekey(joined) {
    super.rekey(joined);
    this.release();
    const keys = Array.from({ length: this.count }, (_, i) => this.keys[i % MESSAGES]);
    const batch = new this.mac.macs.Batch(this.mac.name, keys);
    this.prepared = Object.assign({ batch, keys, free: () => batch.free() }, this.packed);
  }

  prove(count) {
    const [tags] = this.loops.prove(this, 1);
    return tags.subarray(0, Math.min(count, this.count) * this.mac.tagLen);
  }

  // A batch is computed whole: what was not asked for is not counted.
  run(iterations) {
    const calls = Math.ceil(iterations / this.count);
    return Math.round((super.run(calls) * iterations) / (calls * this.count));
  }

  short() {
    return this;
  }
}

// What the last sample left behind. All of the heap would take longer than a sample does.
function collect() {
  global.gc({ type: 'minor' });
}

function cut(pool, lenBytes) {
  const needed = MESSAGE_STEP_BYTES * (MESSAGES - 1) + lenBytes;
  if (needed > pool.length) {
    throw new BadRequest(`the pool has ${pool.length} bytes, ${needed} needed`);
  }
  const at = (_, i) => pool.subarray(MESSAGE_STEP_BYTES * i, MESSAGE_STEP_BYTES * i + lenBytes);
  return Array.from({ length: MESSAGES }, at);
}

// The median cost of two clock reads with nothing between them.
function emptyBracket() {
  const times = new Float64Array(10001).map(() => {
    const begin = process.hrtime.bigint();
    return Number(process.hrtime.bigint() - begin);
  });
  return times.sort()[5000];
}

function histogram(times, bracket) {
  const counts = new Map();
  for (const time of times) {
    const ns = Math.max(0, time - bracket);
    counts.set(ns, (counts.get(ns) || 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

// ---- The protocol ------------------------------------------------------------------------------

// State of one session, and what each request does with its words.
const session = { name: process.argv[1] || "node", macs: null, pool: null, cells: new Map() };

// Of `info`, beside name and macs.
const OF_NODE = {
  version: process.version.slice(1),
  path: process.execPath,
  detail: `V8 ${process.versions.v8}; OpenSSL ${process.versions.openssl}`,
};
let about = OF_NODE;

const REQUESTS = new Map(
  Object.entries({
    close: () => ({}),
    info: () => ({
      protocol: 2,
      name: session.name,
      ...about,
      offers: [...session.macs.values()].map(({ name, kernel, calls }) => ({
        mac: name,
        kernel,
        key_lives: Object.keys(calls),
      })),
    }),
    pool: (bytes) => {
      session.pool = fromHex(bytes);
      return {};
    },
    open: (number, name, keyLife, regime, lenBytes, keys) => {
      number = whole(number, ITERATIONS_MAX);
      const mac = offered(name);
      const isBatch = about.regimes !== undefined && Object.keys(BATCHES).includes(regime);
      const calls = isBatch ? mac.batchCalls : mac.calls;
      if (isBatch && keyLife === "one-shot") {
        throw new BadRequest(`no one-shot calls in ${regime}`);
      }
      if (!Object.keys(calls).includes(keyLife)) {
        throw new BadRequest(`no ${keyLife.slice(0, 40)} ${name} here`);
      }
      if (!isBatch && !["latency", "single"].includes(regime)) {
        throw new BadRequest(`no regime ${regime.slice(0, 40)}: latency or single`);
      }
      if (session.pool === null) {
        throw new BadRequest("no pool yet");
      }
      const [chained, len] = [regime === "latency", whole(lenBytes, LEN_MAX)];
      const cell = isBatch
        ? new BatchCell(mac, calls[keyLife], regime, len, session.pool)
        : new Cell(mac, calls[keyLife], chained, len, session.pool);
      cell.rekey(fromHex(keys));
      if (session.cells.has(number)) {
        session.cells.get(number).release();
      }
      session.cells.set(number, cell);
      return {};
    },
    rekey: (number, keys) => {
      cellOf(number).rekey(fromHex(keys));
      return {};
    },
    prove: (number, count) => ({
      tags: cellOf(number).prove(positive(count, MESSAGES)).toString("hex"),
    }),
    run: (number, iterations) => ({
      elapsed_ns: cellOf(number).run(positive(iterations, ITERATIONS_MAX)),
    }),
    single: (number, count) => ({ ns: cellOf(number).single(positive(count, SINGLE_MAX)) }),
    tag: (name, key, nonce, customization, tagLen, message) => {
      const mac = offered(name);
      [key, nonce, message] = [key, nonce, message].map(maybeHex);
      tagLen = positive(tagLen, TAG_MAX_BYTES);
      checkTag(mac, nonce, customization, tagLen);
      checkKey(mac, key.length);
      if (mac.macs !== undefined) {
        const text = maybeHex(customization);
        return { tag: macsTag(mac, key, nonce, text, tagLen, message).toString("hex") };
      }
      const inputs = {
        prepared: crypto.createSecretKey(key),
        nonce,
        keys: [key],
        messages: [message],
      };
      const [tag] = loopsOf(Object.values(mac.calls)[0], false).prove(inputs, 1);
      return { tag: tag.toString("hex", 0, tagLen) };
    },
    seal: (name, key, nonce, data, tagLen, message) => {
      const mac = offeredComposition(name);
      [key, nonce, data, message] = [key, nonce, data, message].map(maybeHex);
      checkKey(mac, key.length);
      const sealed = seal(mac, key, nonce, data, positive(tagLen, TAG_MAX_BYTES), message);
      return { ciphertext: sealed.ciphertext.toString("hex"), tag: sealed.tag.toString("hex") };
    },
    unseal: (name, key, nonce, data, ciphertext, tag) => {
      const mac = offeredComposition(name);
      [key, nonce, data, ciphertext, tag] = [key, nonce, data, ciphertext, tag].map(maybeHex);
      checkKey(mac, key.length);
      const message = unseal(mac, key, nonce, data, ciphertext, tag);
      return { message: message === null ? null : message.toString("hex") };
    },
  }),
);

function offered(name) {
  if (!session.macs.has(name)) {
    throw new BadRequest(`no mac ${name.slice(0, 40)} here`);
  }
  return session.macs.get(name);
}

function offeredComposition(name) {
  const mac = offered(name);
  if (mac.cipher === undefined) {
    throw new BadRequest(`${name} is no composition: tag`);
  }
  return mac;
}

function cellOf(number) {
  const cell = session.cells.get(whole(number, ITERATIONS_MAX));
  if (cell === undefined) {
    throw new BadRequest(`no cell ${number}`);
  }
  return cell;
}

function checkKey({ name, macs, keyLens: [least, most] }, keyLen) {
  if (macs !== undefined) {
    return; // By its own words, which say what it takes.
  }
  if (keyLen < least || keyLen > most) {
    throw new BadRequest(`a key of ${keyLen} bytes; ${name} takes ${least} to ${most}`);
  }
}

function checkTag(mac, nonce, customization, tagLen) {
  const { name, cipher, nonceLen, takesCustomization, hasLens, tagLen: most } = mac;
  if (cipher !== undefined) {
    throw new BadRequest(`${name} is a composition: seal`);
  }
  if (nonce.length > 0 !== nonceLen > 0) {
    throw new BadRequest(`a nonce of ${nonce.length} bytes for ${name}`);
  }
  if (customization !== "-" && !takesCustomization) {
    throw new BadRequest(`${name} takes no customization string`);
  }
  if (tagLen > most && !hasLens) {
    throw new BadRequest(`a tag of ${tagLen} bytes; ${name} has ${most}`);
  }
}

function fromHex(word) {
  if (word.length % 2 !== 0 || !/^[0-9a-f]*$/.test(word)) {
    throw new BadRequest("bytes are lower-case hexadecimal");
  }
  return Buffer.from(word, "hex");
}

// Words cannot be empty: `-` stands for no bytes.
function maybeHex(word) {
  return word === "-" ? Buffer.alloc(0) : fromHex(word);
}

function whole(word, most) {
  if (!/^[0-9]{1,12}$/.test(word) || Number(word) > most) {
    throw new BadRequest(`not a whole number up to ${most}: ${word.slice(0, 40)}`);
  }
  return Number(word);
}

function positive(word, most) {
  const number = whole(word, most);
  if (number === 0) {
    throw new BadRequest("at least 1, not 0");
  }
  return number;
}

// The reply to one request, without its end of line.
function reply(line) {
  try {
    const [verb, ...words] = line.split(" ");
    const request = REQUESTS.get(verb);
    if (request === undefined) {
      throw new BadRequest(`no request ${verb.slice(0, 40)}`);
    }
    if (words.length !== request.length) {
      throw new BadRequest(`${verb} takes ${request.length} words`);
    }
    return `ok ${JSON.stringify(request(...words))}`;
  } catch (error) {
    const isOfMacs = error instanceof RangeError || error instanceof TypeError;
    const isPlain = error instanceof BadRequest || (about !== OF_NODE && isOfMacs);
    const reason = isPlain ? error.message : String(error);
    return `err ${reason.replace(/[^ -~]/g, "?").slice(0, 400)}`;
  }
}

// The rows of what is measured.
async function found() {
  const [, name, folder] = process.argv;
  if (folder === undefined) {
    return table();
  }
  const own = await macsPackage(folder, name.endsWith("[scalar]"));
  const detail = `Node.js ${OF_NODE.version}; V8 ${process.versions.v8}`;
  const regimes = ["single", "latency", ...Object.keys(BATCHES)];
  about = { version: own.version, path: own.path, detail, regimes };
  // What a call into WebAssembly takes at least: one that reads a length.
  const { output_len: nothing } = new WebAssembly.Instance(own.module, {}).exports;
  const rows = own.macs.algorithms.map((name) => () => macsMac(own, name));
  return [...rows, () => empty(nothing)];
}

async function main() {
  // The lab decides when a run ends; Ctrl-C reaches the whole group of processes.
  process.on("SIGINT", () => {});
  // The lab is gone; there is nobody to tell.
  process.stdout.on("error", () => process.exit(1));
  session.macs = thatWork(await found());
  let [chunks, length] = [[], 0];
  process.stdin.on("data", (chunk) => {
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n")) {
      const isTooLong = length + end >= LINE_MAX_BYTES;
      const line = isTooLong
        ? ""
        : Buffer.concat([...chunks, chunk.subarray(0, end)]).toString("latin1");
      [chunks, length, chunk] = [[], 0, chunk.subarray(end + 1)];
      const tooLong = `err the request has more than ${LINE_MAX_BYTES} bytes`;
      process.stdout.write(`${isTooLong ? tooLong : reply(line)}\n`);
      if (line === "close") {
        process.stdin.destroy();
        return;
      }
    }
    length += chunk.length;
    chunks.push(chunk);
    if (length >= LINE_MAX_BYTES) {
      chunks = []; // Of a line that is too long nothing is kept.
    }
  });
}

main();
