// What is left in the module's memory: nothing of keys, messages and tags.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inputs, macs, memory, random } from "./macs.mjs";

// Eight bytes of each, from its beginning and its end.
function partsOf(secret) {
  const [first, last] = [secret.slice(0, 8), secret.slice(-8)];
  return [first, last].filter((part) => part.length === 8);
}

// What HMAC XORs its key with.
function padsOf(key) {
  return [0x36, 0x5c].map((pad) => key.map((byte) => byte ^ pad));
}

function assertGone(secrets, after) {
  const all = memory();
  for (const [what, secret] of secrets) {
    for (const part of partsOf(secret)) {
      assert.equal(all.indexOf(part), -1, `${what} after ${after}`);
    }
  }
}

function secretsOf(key, message) {
  const pads = padsOf(key);
  return [["the key", key], ["its inner pad", pads[0]], ["its outer pad", pads[1]], ["the message", message]];
}

test("a search finds what is there", () => {
  const key = random(20).bytes(16);
  const mac = macs.createMac("hmac-sha256", "key").update(key);
  assert.throws(() => assertGone([["the message", key]], "its beginning"), /the message after/);
  mac.digest();
  assertGone([["the message", key]], "its tag");
});

test("nothing is left of what was used once", () => {
  const rng = random(21);
  for (const name of macs.algorithms) {
    for (const len of [24, 1000, 70000]) {
      const { key, nonce } = inputs(rng, name);
      const message = rng.bytes(len);
      const secrets = secretsOf(key, message);
      const tag = macs.digest(name, key, message, { nonce });
      assertGone([...secrets, ["the tag", tag]], `digest of ${name}`);
      assert.ok(macs.verify(name, key, message, tag, { nonce }));
      assertGone([...secrets, ["the tag", tag]], `verify of ${name}`);
      assert.deepEqual(macs.createMac(name, key, { nonce }).update(message).digest(), tag);
      assertGone([...secrets, ["the tag", tag]], `a Mac of ${name}`);
    }
  }
});

test("nothing is left of keys that were freed", () => {
  const rng = random(22);
  for (const name of macs.algorithms) {
    const { key, nonce } = inputs(rng, name);
    const message = rng.bytes(500);
    const prepared = new macs.Key(name, key);
    const tag = prepared.digest(message, nonce);
    assertGone([["the message", message], ["the tag", tag]], `a Key's digest of ${name}`);
    prepared.free();
    const batch = new macs.Batch(name, [key]);
    assert.deepEqual(batch.digests([message], { nonces: nonce })[0], tag);
    assertGone([["the message", message], ["the tag", tag]], `a batch of ${name}`);
    batch.free();
    assertGone([...secretsOf(key, message), ["the tag", tag]], `free of ${name}`);
  }
});

test("nothing is left of what was refused", () => {
  const secret = random(23).bytes(40);
  assert.throws(() => new macs.Key("cmac-aes-128", secret), RangeError);
  assert.throws(() => new macs.Key("hmac-sha256", "k").digest(secret, secret), RangeError);
  assert.throws(() => new macs.Batch("hmac-sha256", ["k"]).digests([secret], { nonces: secret }), RangeError);
  assertGone([["what was refused", secret]], "its refusal");
});

const mayGrow = SharedArrayBuffer.prototype.grow !== undefined;
test("what grows meanwhile is not written beyond its place", { skip: !mayGrow && "not in this Node.js" }, () => {
  const secret = random(25).bytes(40);
  // There is memory behind the input area.
  new macs.Key("hmac-sha256", new Uint8Array(2 ** 22)).free();
  for (const kind of [(shared) => new Uint8Array(shared), (shared) => shared]) {
    const shared = new SharedArrayBuffer(8, { maxByteLength: 2 ** 18 });
    const data = kind(shared);
    const options = {
      // Read behind the lengths; another thread would not need it.
      get customization() {
        shared.grow(2 ** 18);
        new Uint8Array(shared).fill(7);
      },
    };
    const before = macs.digest("hmac-sha256", secret, new Uint8Array(8).fill(7));
    if (data === shared) {
      assert.deepEqual(macs.digest("hmac-sha256", secret, data, options), before);
    } else {
      assert.throws(() => macs.digest("hmac-sha256", secret, data, options), RangeError);
    }
    assertGone([["the key", secret], ["what grew", new Uint8Array(64).fill(7)]], "what grew");
  }
});

test("offsets and keys are those that were checked", () => {
  const [data, offsets, keyIndex] = ["onetwo", Int32Array.of(0, 3, 6), Int32Array.of(0, 1)];
  const batch = new macs.Batch("hmac-sha256", ["first", "second"]);
  const right = batch.digestsPacked(data, offsets, { keyIndex });
  const options = {
    keyIndex,
    get out() {
      offsets.fill(2 ** 20);
      keyIndex.fill(99);
    },
  };
  assert.deepEqual(batch.digestsPacked(data, offsets, options), right);
  batch.free();
});

test("memory does not grow with what is freed or forgotten", async () => {
  const use = () => {
    for (let i = 0; i < 20000; i++) {
      new macs.Key("hmac-sha256", "key").free();
      macs.createMac("hmac-sha256", "key").update("m").digest();
    }
    new macs.Batch("hmac-sha256", new Array(1000).fill("key")).free();
  };
  use();
  const before = memory().length;
  use();
  assert.equal(memory().length, before);
  // What nobody can reach any more is freed when garbage is collected.
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < 5000; i++) {
      new macs.Key("hmac-sha256", "key");
    }
    globalThis.gc();
    await new Promise(setImmediate);
  }
  assert.ok(memory().length < before + 2 ** 24, `${memory().length} bytes`);
});

test("a batch takes messages of any length", () => {
  const rng = random(24);
  const long = Buffer.alloc(5 * 2 ** 20, rng.bytes(1000));
  const batch = new macs.Batch("siphash-2-4", [rng.bytes(16), rng.bytes(16)]);
  const keyIndex = [0, 1, 1];
  const tags = batch.digests([long, "short", long], { keyIndex });
  const packed = batch.digestsPacked(Buffer.concat([long, long]), [0, long.length, 2 * long.length]);
  assert.deepEqual(Buffer.from(packed), Buffer.concat([tags[0], tags[2]]));
  batch.free();
});
