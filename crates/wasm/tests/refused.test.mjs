// Wrong input of each kind: one line that says what would be right, and everything goes on.

import assert from "node:assert/strict";
import { test } from "node:test";

import { macs } from "./macs.mjs";

const KEY = new macs.Key("hmac-sha256", "key");
const ONE = new macs.Batch("hmac-sha256", ["one"]);
const BATCH = new macs.Batch("hmac-sha256", ["one", "two"]);
const zeros = (len) => new Uint8Array(len);
const GMAC = ["gmac-aes-128", zeros(16), { nonce: zeros(12) }];
const begun = (...mac) => macs.createMac(...mac).update("begun");
const detached = new Uint8Array(8);
structuredClone(detached, { transfer: [detached.buffer] });

const REFUSED = [
  // The library's own words.
  [RangeError, /no MAC `hmac-sha-256` in the catalog( of this build)?; did you mean hmac-sha256/, () => new macs.Key("hmac-sha-256", "k")],
  [RangeError, /did you mean hmac-sha256/, () => macs.createHmac("sha-256", "k")],
  [RangeError, /no MAC `x+` in the catalog/, () => macs.info("x".repeat(10 ** 6))],
  [RangeError, /cmac-aes-128 takes a key of 16 bytes, not of 3 bytes/, () => new macs.Key("cmac-aes-128", "key")],
  [RangeError, /cmac-aes-128 takes a key of 16 bytes/, () => macs.digest("cmac-aes-128", "key", "m")],
  [RangeError, /cmac-aes-128 takes a key of 16 bytes/, () => macs.createMac("cmac-aes-128", zeros(2 ** 20))],
  [RangeError, /cmac-aes-128 takes a key of 16 bytes/, () => new macs.Batch("cmac-aes-128", [zeros(16), "k"])],
  [TypeError, /gmac-aes-128 takes a nonce of .* with every message/, () => new macs.Key("gmac-aes-128", zeros(16)).digest("m")],
  [TypeError, /gmac-aes-128 takes a nonce/, () => macs.digest("gmac-aes-128", zeros(16), "m")],
  [TypeError, /gmac-aes-128 takes a nonce/, () => macs.createMac("gmac-aes-128", zeros(16)).digest()],
  [RangeError, /gmac-aes-128 takes a nonce/, () => new macs.Batch("gmac-aes-128", [zeros(16)]).digests(["m"])],
  [RangeError, /hmac-sha256 takes no nonce/, () => KEY.digest("m", "nonce")],
  [RangeError, /hmac-sha256 takes no nonce/, () => KEY.createMac({ nonce: "nonce" })],
  [RangeError, /hmac-sha256 takes no nonce/, () => KEY.digest(zeros(2 ** 17), "nonce")],
  [RangeError, /hmac-sha256 takes no customization string/, () => new macs.Key("hmac-sha256", "k", { customization: "c" })],
  [RangeError, /hmac-sha256 takes a tag of 32 bytes, not of 16/, () => new macs.Key("hmac-sha256", "k", { tagLength: 16 })],
  [RangeError, /hmac-sha256 takes a tag of 32 bytes, not of 31/, () => KEY.verify("m", zeros(31))],
  [RangeError, /hmac-sha256 takes a tag of 32 bytes, not of 131072/, () => KEY.verify("m", zeros(2 ** 17))],
  [RangeError, /hmac-sha256 takes a tag of 32 bytes, not of 0/, () => macs.verify("hmac-sha256", "k", "m", zeros(0))],
  [RangeError, /hmac-sha256 takes a tag of 32 bytes/, () => KEY.createMac().verify(zeros(33))],
  // What has no bytes.
  [TypeError, /message: a string, an ArrayBuffer or a view is required, not a number/, () => KEY.digest(5)],
  [TypeError, /message: .* not undefined/, () => KEY.digest()],
  [TypeError, /message: .* not null/, () => KEY.digest(null)],
  [TypeError, /message: .* not an Array/, () => KEY.digest([1, 2])],
  [TypeError, /key: .* not an object/, () => new macs.Key("hmac-sha256", Object.create(null))],
  [TypeError, /a key: .* not a number/, () => new macs.Batch("hmac-sha256", [1])],
  [TypeError, /a message: .* not undefined/, () => ONE.digests(["m", undefined])],
  [TypeError, /tag: .* not a string/, () => KEY.verify("m", "tag")],
  [TypeError, /tag: an ArrayBuffer or a view is required, not undefined/, () => KEY.verify("m")],
  [TypeError, /tag: an ArrayBuffer or a view is required, not undefined/, () => macs.verify("hmac-sha256", "k", "m", undefined)],
  [TypeError, /tags: an ArrayBuffer or a view is required, not a string/, () => ONE.verifyPacked("abc", [0, 3], "t".repeat(32))],
  [TypeError, /nonce: .* not a number/, () => KEY.digest("m", 1)],
  [TypeError, /algorithm: a name is required, not a number/, () => new macs.Key(256, "k")],
  [TypeError, /hash: a name is required, not undefined/, () => macs.createHmac()],
  [TypeError, /detached/, () => KEY.digest(detached)],
  [TypeError, /detached/, () => KEY.digest(detached.buffer)],
  // What is said of a key or a tag.
  [RangeError, /tagLength is a whole number of bytes, not 1.5/, () => new macs.Key("hmac-sha256", "k", { tagLength: 1.5 })],
  [RangeError, /tagLength is .* not -1/, () => new macs.Key("hmac-sha256", "k", { tagLength: -1 })],
  [RangeError, /nonceLength is .* not 12/, () => new macs.Key("gmac-aes-128", zeros(16), { nonceLength: "12" })],
  [RangeError, /encoding is one of hex, base64, base64url, not latin1/, () => KEY.createMac().digest("latin1")],
  [RangeError, /encoding is one of/, () => KEY.createMac().digest("constructor")],
  [RangeError, /hmac-sha256 takes no nonce/, () => macs.digest("hmac-sha256", "k", "a", { nonceLength: 5 })],
  [RangeError, /hmac-sha256 takes no nonce/, () => macs.verify("hmac-sha256", "k", "a", zeros(32), { nonceLength: 5 })],
  [RangeError, /gmac-aes-128 takes a nonce of 5 bytes, not of 12/, () => macs.digest("gmac-aes-128", zeros(16), "a", { nonce: zeros(12), nonceLength: 5 })],
  [RangeError, /gmac-aes-128 takes a nonce of 5 bytes, not of 12/, () => macs.createMac("gmac-aes-128", zeros(16), { nonce: zeros(12), nonceLength: 5 })],
  [TypeError, /options: an object is required, not null/, () => new macs.Key("hmac-sha256", "k", null)],
  [TypeError, /options: an object is required, not null/, () => macs.digest("hmac-sha256", "k", "m", null)],
  [TypeError, /options: an object is required, not null/, () => macs.verify("hmac-sha256", "k", "m", zeros(32), null)],
  [TypeError, /options: an object is required, not null/, () => macs.createMac("hmac-sha256", "k", null)],
  [TypeError, /options: an object is required, not null/, () => KEY.createMac(null)],
  [TypeError, /options: an object is required, not null/, () => new macs.Batch("hmac-sha256", ["k"], null)],
  [TypeError, /options: an object is required, not null/, () => ONE.digests(["m"], null)],
  [TypeError, /options: an object is required, not null/, () => ONE.digestsPacked("abc", [0, 3], null)],
  [TypeError, /options: an object is required, not null/, () => ONE.verifyPacked("abc", [0, 3], zeros(32), null)],
  [TypeError, /options: an object is required, not a string/, () => KEY.createMac("nonce")],
  // What is where, and under which key.
  [TypeError, /messages: a list is required, not a string/, () => BATCH.digests("message")],
  [TypeError, /messages: a list is required, not an Uint8Array/, () => BATCH.digests(zeros(3))],
  [TypeError, /keys: a list is required, not undefined/, () => new macs.Batch("hmac-sha256")],
  [RangeError, /keys is empty/, () => new macs.Batch("hmac-sha256", [])],
  [RangeError, /3 messages under 2 keys: keyIndex must say/, () => BATCH.digests(["a", "b", "c"])],
  [RangeError, /keyIndex has 1 numbers for 2 messages/, () => BATCH.digests(["a", "b"], { keyIndex: [0] })],
  [RangeError, /keyIndex\[1\] is 2, and there are 2 keys/, () => BATCH.digests(["a", "b"], { keyIndex: [0, 2] })],
  [RangeError, /keyIndex\[0\] is -1/, () => BATCH.digests(["a"], { keyIndex: [-1] })],
  [TypeError, /keyIndex\[0\] is 0.5, which is no whole number/, () => BATCH.digests(["a"], { keyIndex: [0.5] })],
  [RangeError, /offsets is empty/, () => ONE.digestsPacked("abc", [])],
  [RangeError, /offsets\[0\] and the next are 0 and 4, which is no part of 3 bytes/, () => ONE.digestsPacked("abc", [0, 4])],
  [RangeError, /offsets\[1\] and the next are 2 and 1/, () => ONE.digestsPacked("abc", [0, 2, 1])],
  [RangeError, /offsets\[0\] and the next are -1 and 3/, () => ONE.digestsPacked("abc", [-1, 3])],
  [TypeError, /offsets\[1\] is NaN/, () => ONE.digestsPacked("abc", [0, NaN])],
  [TypeError, /offsets\[0\] is 0, which is no whole number/, () => ONE.digestsPacked("abc", new BigInt64Array(2))],
  [TypeError, /offsets: an array of numbers is required, not a string/, () => ONE.digestsPacked("abc", "03")],
  [RangeError, /out has 31 bytes, and the tags have 32/, () => ONE.digestsPacked("abc", [0, 3], { out: zeros(31) })],
  [TypeError, /out: a Uint8Array is required, not an Array/, () => ONE.digestsPacked("abc", [0, 3], { out: [] })],
  [TypeError, /out: a Uint8Array is required, not null/, () => ONE.digestsPacked("abc", [0, 3], { out: null })],
  [TypeError, /out: a Uint8Array is required, not a number/, () => ONE.digestsPacked("abc", [0, 3], { out: 0 })],
  [TypeError, /out: a Uint8Array is required, not a string/, () => ONE.digestsPacked("abc", [0, 3], { out: "" })],
  [TypeError, /out: a Uint8Array is required, not a boolean/, () => ONE.digestsPacked("abc", [0, 3], { out: false })],
  [RangeError, /nonces has 3 bytes, which is no equal number/, () => BATCH.digests(["a", "b"], { nonces: "123" })],
  [RangeError, /hmac-sha256 takes no nonce/, () => BATCH.digests(["a", "b"], { nonces: "1234" })],
  [RangeError, /1 tags of hmac-sha256 have 32 bytes, not 31/, () => ONE.verifyPacked("abc", [0, 3], zeros(31))],
  // What is over.
  [TypeError, /this Key was freed/, () => freed(new macs.Key("hmac-sha256", "k")).digest("m")],
  [TypeError, /this Batch was freed/, () => freed(new macs.Batch("hmac-sha256", ["k"])).digests(["m"])],
  [TypeError, /this Mac is over/, () => freed(KEY.createMac()).update("m")],
  [TypeError, /this Mac is over/, () => ended(KEY.createMac()).digest()],
  [TypeError, /this Mac is over/, () => ended(KEY.createMac()).copy()],
  // A second tag under what is for one.
  [TypeError, /gmac-aes-128: a second tag under one nonce .* with a new nonce/, () => begun(...GMAC).copy()],
  [TypeError, /gmac-aes-128: a second tag under one nonce/, () => new macs.Key("gmac-aes-128", zeros(16)).createMac({ nonce: zeros(12) }).copy()],
  [TypeError, /this Mac is over/, () => ended(begun(...GMAC)).update("m")],
  [TypeError, /this Mac is over/, () => ended(begun(...GMAC)).copy()],
  [TypeError, /poly1305: a second tag under one key .* with a new key/, () => begun("poly1305", zeros(32)).copy()],
  [TypeError, /poly1305: a second tag under one key/, () => new macs.Key("poly1305", zeros(32)).createMac().copy()],
  [TypeError, /this Mac is over/, () => ended(begun("poly1305", zeros(32))).update("m")],
  [TypeError, /a Mac comes from createMac/, () => new macs.Mac()],
];

function freed(object) {
  object.free();
  object.free();
  return object;
}

function ended(mac) {
  mac.digest();
  mac.free();
  return mac;
}

test("each", () => {
  const right = KEY.digest("m");
  for (const [kind, words, call] of REFUSED) {
    assert.throws(call, (error) => {
      assert.equal(error.constructor, kind, `${call}: ${error}`);
      assert.match(error.message, words, `${call}`);
      assert.ok(!error.message.includes("\n"), `${call}`);
      return true;
    });
    assert.deepEqual(KEY.digest("m"), right, `after ${call}`);
  }
});

// Bytes whose length is asked for, which frees something.
function freeing(object) {
  const kind = class extends Uint8Array {
    get length() {
      object.free();
      return super.length;
    }
  };
  return new kind(3);
}

test("what was freed while arguments were looked at is not used", () => {
  const key = () => new macs.Key("hmac-sha256", "k");
  const uses = [
    [key, (key, bytes) => key.digest(bytes)],
    [key, (key, bytes) => key.digest("m", bytes)],
    [key, (key, bytes) => key.verify("m", bytes)],
    [key, (key, bytes) => key.createMac({ nonce: bytes })],
    [() => KEY.createMac(), (mac, bytes) => mac.update(bytes)],
    [() => KEY.createMac(), (mac, bytes) => mac.verify(bytes)],
  ];
  for (const [made, use] of uses) {
    const object = made();
    assert.throws(() => use(object, freeing(object)), /this Key was freed|this Mac is over/, `${use}`);
  }
});

const isFull = macs.algorithms.includes("umac-64");
test("nonces of two lengths are not taken without saying so", { skip: !isFull && "no umac-64" }, () => {
  for (const name of ["umac-64", "vmac64-aes-128"]) {
    const short = () => macs.createMac(name, zeros(16), { nonce: zeros(1) });
    assert.throws(short, /takes a nonce of 8 bytes, not of 1 byte/, name);
    assert.ok(macs.createMac(name, zeros(16), { nonce: zeros(1), nonceLength: 1 }).digest());
  }
});

test("a mac goes on after what it did not take", () => {
  const mac = macs.createMac("gmac-aes-128", zeros(16), { nonce: zeros(12) });
  assert.throws(() => mac.update(5), TypeError);
  mac.update("a ");
  assert.throws(() => mac.verify(zeros(1)), RangeError);
  assert.throws(() => mac.digest("latin1"), RangeError);
  const right = macs.digest("gmac-aes-128", zeros(16), "a m", { nonce: zeros(12) });
  assert.deepEqual(mac.update("m").digest(), right);
});

test("keys are not shown, and nothing can be changed", () => {
  const secret = "a secret nobody should see";
  for (const object of [new macs.Key("hmac-sha256", secret), new macs.Batch("hmac-sha256", [secret])]) {
    assert.ok(!JSON.stringify(object).includes("nobody"));
    assert.throws(() => (object.digestSize = 1), TypeError);
    assert.throws(() => structuredClone(object).digest("m"), TypeError);
  }
});

test("a module is started once", async () => {
  const { start } = await import("macs-wasm/bare");
  assert.throws(() => start(new WebAssembly.Module(zeros(0))), /./);
  const empty = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  assert.throws(() => start(empty), /was started already/);
});
