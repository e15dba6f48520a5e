// Every vector of a mac in the package by every way to a tag: the compact set, and with
// MACROMETER_VECTORS all files of that folder.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { macs } from "./macs.mjs";

const folders = [process.env.MACS_WASM_VECTORS, process.env.MACROMETER_VECTORS].filter(Boolean);

function files() {
  const named = (folder) => readdirSync(folder).map((name) => join(folder, name));
  return folders.flatMap(named).filter((file) => file.endsWith(".json"));
}

const bytes = (hex) => Buffer.from(hex ?? "", "hex");

function messageOf({ msg, msg_repeat: repeat }) {
  return msg === undefined ? Buffer.alloc(repeat.len, repeat.unit, "hex") : bytes(msg);
}

// Whether a length is among those that `info` tells in words: `32 bytes`, `4 to 16 bytes`.
function fits(text, len) {
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  if (text === "any length") return true;
  if (text.startsWith("at least")) return len >= numbers[0];
  if (text.startsWith("at most")) return len <= numbers[0];
  if (text.includes(" to ")) return numbers[0] <= len && len <= numbers[1];
  return numbers.includes(len);
}

const isValid = ({ result = "valid" }) => result === "valid";

// Whether the library accepts the tag of this case.
function isAccepted(written) {
  const tag = bytes(written.tag);
  if (written.tag_bits !== undefined && written.tag_bits !== 8 * tag.length) {
    return false;
  }
  try {
    return hasTag(written, tag);
  } catch (error) {
    assert.ok(error instanceof RangeError || error instanceof TypeError, `${written.id}: ${error}`);
    return false;
  }
}

function hasTag(written, tag) {
  const info = macs.info(written.mac);
  const whole = fits(info.digestSizes, tag.length) ? tag.length : info.digestSize;
  const nonce = info.nonceSize === null ? undefined : bytes(written.nonce);
  if ((nonce === undefined && written.nonce) || tag.length === 0) {
    return false;
  }
  const customization = written.custom ? bytes(written.custom) : undefined;
  const options = { customization, tagLength: whole, nonceLength: nonce?.length };
  const key = new macs.Key(written.mac, bytes(written.key), options);
  const right = key.digest(messageOf(written), nonce);
  agree(written, info, key, { ...options, nonce }, right);
  key.free();
  // A vector may have more of an output without end (BLAKE3) than is a tag here.
  const beginning = tag.subarray(0, isValid(written) ? whole : tag.length);
  return Buffer.from(right.subarray(0, beginning.length)).equals(beginning);
}

// All other ways give the same tag.
function agree(written, info, key, options, right) {
  const [message, secret] = [messageOf(written), bytes(written.key)];
  const [{ nonce }, name] = [options, written.mac];
  const same = (tag, way) => assert.deepEqual(tag, right, `${written.id}: ${way}`);
  const streamed = macs.createMac(name, secret, options);
  const begun = key.createMac({ nonce });
  for (let at = 0; at < message.length; at += 97) {
    streamed.update(message.subarray(at, at + 97));
    begun.update(message.subarray(at, at + 97));
  }
  if (nonce === undefined && info.kind !== "one-time MAC") {
    same(streamed.copy().digest(), "a copy");
  }
  assert.ok(streamed.verify(right), written.id);
  same(begun.digest(), "streaming");
  assert.ok(key.verify(message, right, nonce), written.id);
  same(macs.digest(name, secret, message, options), "one call");
  assert.ok(macs.verify(name, secret, message, right, options), written.id);
  if (options.customization === undefined && options.tagLength === info.digestSize) {
    const batch = new macs.Batch(name, [secret], { nonceLength: options.nonceLength });
    const given = [message, [0, message.length]];
    same(batch.digests([message], { nonces: nonce })[0], "batch");
    same(batch.digestsPacked(...given, { nonces: nonce }), "packed");
    assert.deepEqual([...batch.verifyPacked(...given, right, { nonces: nonce })], [1], written.id);
    batch.free();
  }
}

test("every vector", () => {
  const covered = new Set();
  let count = 0;
  for (const file of files()) {
    for (const written of JSON.parse(readFileSync(file, "utf8"))) {
      if (macs.algorithms.includes(written.mac)) {
        assert.equal(isAccepted(written), isValid(written), `${file}: ${written.id}`);
        covered.add(written.mac);
        count += 1;
      }
    }
  }
  assert.deepEqual([...covered].sort(), [...macs.algorithms].sort());
  console.log(`${count} vectors of ${covered.size} macs`);
});
