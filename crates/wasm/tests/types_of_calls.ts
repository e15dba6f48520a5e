// Checked by the compiler and not run: what programs write is taken, and what is wrong is not.

import { algorithms, Batch, createHmac, createMac, digest, info, Key, Mac, verify } from "macs-wasm";
import { start } from "macs-wasm/bare";

const bytes = new Uint8Array(16);
const names: readonly string[] = algorithms;
const size: number | null = info(names[0] ?? "").nonceSize;
const tag: Uint8Array = digest("hmac-sha256", "key", bytes.buffer, { nonce: bytes });
const isRight: boolean = verify("hmac-sha256", bytes, new DataView(bytes.buffer), tag);
const hex: string = createHmac("sha256", bytes).update("a").update(bytes).digest("hex");
const mac: Mac = createMac("kmac128", bytes, { customization: "mine", tagLength: 17 });
const binary: Uint8Array = mac.copy().digest();
const key = new Key("gmac-aes-128", bytes, { nonceLength: 12 });
const under: Uint8Array = key.digest("message", bytes);
key.createMac({ nonce: bytes }).free();
{
  using held = new Key("hmac-sha256", "key");
  using begun = held.createMac();
  using many = new Batch(held.name, ["key"]);
  many.digests([begun.digest()]);
}
const batch = new Batch("hmac-sha256", new Set(["one", "two"]));
const list: Uint8Array[] = batch.digests(["a", bytes], { keyIndex: [0, 1] });
const packed: Uint8Array = batch.digestsPacked(bytes, Int32Array.of(0, 16), { out: tag });
const said: Uint8Array = batch.verifyPacked(bytes, [0, 16], packed, { nonces: bytes });
export const all = [size, isRight, hex, binary, under, list, said];

// @ts-expect-error: a number is no message
digest("hmac-sha256", "key", 5);
// @ts-expect-error: a tag is no text
verify("hmac-sha256", "key", "message", "tag");
// @ts-expect-error: not among the encodings
createHmac("sha256", "key").digest("latin1");
// @ts-expect-error: it never changes
key.digestSize = 5;
// @ts-expect-error: it comes from createMac
new Mac();
// @ts-expect-error: a compiled module is needed
start();
