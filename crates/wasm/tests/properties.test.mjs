// What holds for every mac: all ways give one tag, and no other passes.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { inputs, macs, random } from "./macs.mjs";

// Around blocks, around the input area (2^16), and beyond it.
const LENGTHS = [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 257, 2048, 65500, 65536, 65537, 140000];

test("a message by pieces has the tag of the whole", () => {
  const rng = random(2);
  for (const name of macs.algorithms) {
    const { key, nonce } = inputs(rng, name);
    const prepared = new macs.Key(name, key);
    for (const len of LENGTHS) {
      const message = rng.bytes(len);
      const right = prepared.digest(message, nonce);
      assert.equal(right.length, prepared.digestSize);
      const mac = macs.createMac(name, key, { nonce });
      for (let at = 0, step; at < len; at += step) {
        step = rng.below(len) + 1;
        mac.update(message.subarray(at, at + step));
      }
      if (nonce === undefined && macs.info(name).kind !== "one-time MAC") {
        assert.deepEqual(mac.copy().digest(), right, `${name}, ${len} bytes`);
      }
      assert.equal(mac.digest("hex"), Buffer.from(right).toString("hex"));
      assert.deepEqual(macs.digest(name, key, message, { nonce }), right);
      assert.ok(prepared.verify(message, right, nonce));
      assert.ok(macs.verify(name, key, message, right, { nonce }));
    }
    prepared.free();
  }
});

test("a batch is one after another", () => {
  const rng = random(3);
  for (const name of macs.algorithms) {
    const all = Array.from({ length: 5 }, () => inputs(rng, name));
    const messages = Array.from({ length: 37 }, () => rng.bytes(LENGTHS[rng.below(13)]));
    messages[20] = rng.bytes(70000); // Longer than the input area.
    const keyIndex = messages.map(() => rng.below(5));
    const each = messages.map(() => inputs(rng, name).nonce);
    const nonces = each[0] && Buffer.concat(each);
    const keys = all.map(({ key }) => new macs.Key(name, key));
    const right = messages.map((message, i) => keys[keyIndex[i]].digest(message, each[i]));
    const batch = new macs.Batch(name, all.map(({ key }) => key));
    assert.deepEqual(batch.digests(messages, { keyIndex, nonces }), right, name);
    const offsets = messages.reduce((ends, { length }) => [...ends, ends.at(-1) + length], [0]);
    const data = Buffer.concat(messages);
    for (const kind of [Int32Array, Uint32Array, Float64Array, Array]) {
      const options = { keyIndex: kind.from(keyIndex), nonces };
      const packed = batch.digestsPacked(data, kind.from(offsets), options);
      assert.deepEqual(Buffer.from(packed), Buffer.concat(right), name);
    }
    const wrong = Buffer.concat(right);
    assert.ok(batch.verifyPacked(data, offsets, wrong, { keyIndex, nonces }).every((said) => said === 1));
    wrong[3 * batch.digestSize] ^= 1;
    const said = batch.verifyPacked(data, offsets, wrong, { keyIndex, nonces });
    assert.deepEqual([...said], messages.map((_, i) => (i === 3 ? 0 : 1)));
    batch.free();
  }
});

test("without an index one key is for all, or each for one", () => {
  const [messages, keys] = [["a", "b", "c"], ["1", "2", "3"]];
  const one = new macs.Batch("hmac-sha256", keys.slice(0, 1));
  const three = new macs.Batch("hmac-sha256", keys);
  const right = (key, message) => macs.digest("hmac-sha256", key, message);
  assert.deepEqual(one.digests(messages), messages.map((message) => right("1", message)));
  assert.deepEqual(three.digests(messages), messages.map((message, i) => right(keys[i], message)));
  assert.deepEqual([three.size, one.digests([]), one.digestsPacked("", [0]).length], [3, [], 0]);
});

test("out may be where the data are", () => {
  const place = random(6).bytes(64);
  const batch = new macs.Batch("hmac-sha256", ["k"]);
  const right = batch.digests([place.slice(0, 32), place.slice(32)]);
  assert.equal(batch.digestsPacked(place, [0, 32, 64], { out: place }), place);
  assert.deepEqual(Buffer.from(place), Buffer.concat(right));
});

test("one bit of a tag is enough", () => {
  const rng = random(4);
  for (const name of macs.algorithms) {
    const { key, nonce } = inputs(rng, name);
    const prepared = new macs.Key(name, key);
    const tag = prepared.digest("message", nonce);
    for (const bit of [0, 8 * tag.length - 1]) {
      const wrong = tag.slice();
      wrong[bit >> 3] ^= 1 << (bit & 7);
      assert.equal(prepared.verify("message", wrong, nonce), false, name);
      assert.equal(macs.verify(name, key, "message", wrong, { nonce }), false, name);
      assert.equal(prepared.createMac({ nonce }).update("message").verify(wrong), false, name);
    }
    assert.ok(prepared.createMac({ nonce }).update("mess").update("age").verify(tag), name);
    prepared.free();
  }
});

test("createHmac is that of Node.js", { skip: !macs.algorithms.includes("hmac-sha512") }, () => {
  const rng = random(5);
  for (const hash of ["sha1", "SHA224", "sha256", "sha384", "sha512", "sha512-256", "sha3-256"]) {
    if (macs.algorithms.includes(`hmac-${hash.toLowerCase()}`)) {
      const key = rng.bytes(rng.below(300));
      for (const encoding of [undefined, "hex", "base64", "base64url"]) {
        const [ours, theirs] = [macs.createHmac, createHmac].map((create) =>
          create(hash, key).update("text, ü").update(key).digest(encoding),
        );
        const right = encoding === undefined ? new Uint8Array(theirs) : theirs;
        assert.deepEqual(ours, right, hash);
      }
    }
  }
});

test("bytes of any kind", () => {
  const bytes = random(7).bytes(48);
  const right = macs.digest("hmac-sha256", "key", bytes);
  const shared = new Uint8Array(new SharedArrayBuffer(48));
  shared.set(bytes);
  for (const kind of [
    bytes.buffer,
    Buffer.from(bytes),
    new DataView(bytes.buffer),
    new Uint16Array(bytes.buffer),
    new BigInt64Array(bytes.buffer),
    shared,
    shared.buffer,
  ]) {
    assert.deepEqual(macs.digest("hmac-sha256", "key", kind), right, kind.constructor.name);
  }
  const inside = new Uint16Array(bytes.buffer, 2, 3);
  const cut = macs.digest("hmac-sha256", "key", bytes.slice(2, 8));
  assert.deepEqual(macs.digest("hmac-sha256", "key", inside), cut);
});

test("kmac takes a customization and tags of other lengths", { skip: !macs.algorithms.includes("kmac128") }, () => {
  const options = { customization: "mine", tagLength: 17 };
  const short = new macs.Key("kmac128", new Uint8Array(32), options);
  assert.deepEqual([short.digestSize, short.digest("m").length], [17, 17]);
  const streamed = macs.createMac("kmac128", new Uint8Array(32), options).update("m");
  assert.deepEqual(streamed.digest(), short.digest("m"));
  assert.deepEqual(macs.digest("kmac128", new Uint8Array(32), "m", options), short.digest("m"));
  assert.notDeepEqual(macs.digest("kmac128", new Uint8Array(32), "m").slice(0, 17), short.digest("m"));
});
