// Many messages under many keys in one call. What does not fit into the input area goes in by runs
// of messages.

import { bytesOf, kindOf, lengthOf, NONE, optionsOf, rowOf, tagOf } from "./given.js";
import {
  AREA_LEN,
  checked,
  given,
  keep,
  numbers,
  put,
  release,
  reserve,
  taken,
  wasm,
} from "./module.js";

const FREED = -1;

// The keys of one mac, which are set up and stay until they are freed.
export class Batch {
  #number;

  constructor(algorithm, keys, options = {}) {
    const { number, info } = rowOf(algorithm);
    const { nonceLength } = optionsOf(options);
    const secrets = listOf(keys, "keys").map((key) => bytesOf(key, "a key"));
    if (secrets.length === 0) {
      throw new RangeError("keys is empty; a batch needs one key at least");
    }
    const nonceLen = lengthOf(nonceLength, "nonceLength");
    const lens = new Uint8Array(new Uint32Array(secrets.map((key) => key.length)).buffer);
    const keysLen = secrets.reduce((sum, key) => sum + key.length, 0);
    const made = given([lens, ...secrets], () =>
      checked(wasm.batch_new(number, secrets.length, keysLen, nonceLen)),
    );
    this.#number = keep(this, made);
    this.name = info.name;
    this.digestSize = info.digestSize;
    this.size = secrets.length;
    Object.freeze(this);
  }

  digests(messages, options = {}) {
    const work = this.#work(listed(messages), options);
    const tags = this.#tags(work);
    const tagAt = (_, i) => tags.slice(i * this.digestSize, (i + 1) * this.digestSize);
    return Array.from({ length: work.count }, tagAt);
  }

  digestsPacked(data, offsets, options = {}) {
    const work = this.#work(packed(data, offsets), options);
    const { out } = options;
    const place = out === undefined ? undefined : this.#place(out, work.count);
    const tags = this.#tags(work);
    if (place === undefined) {
      return tags;
    }
    place.set(tags);
    return out;
  }

  verifyPacked(data, offsets, tags, options = {}) {
    const work = this.#work(packed(data, offsets), options);
    const size = this.digestSize;
    const given = tagOf(tags, "tags");
    if (given.length !== work.count * size) {
      const right = `${work.count} tags of ${this.name} have ${work.count * size} bytes`;
      throw new RangeError(`${right}, not ${given.length}`);
    }
    const areRight = new Uint8Array(work.count);
    this.#runs({ ...work, moreOf: size }, (from, to, behind, lens) => {
      put(given.subarray(from * size, to * size), behind);
      const at = wasm.batch_verify(this.#number, to - from, ...lens, (to - from) * size);
      areRight.set(taken(at, to - from), from);
    });
    return areRight;
  }

  free() {
    if (this.#number !== FREED) {
      release(this, this.#number);
      this.#number = FREED;
    }
  }

  #work(messages, options) {
    if (this.#number === FREED) {
      throw new TypeError("this Batch was freed");
    }
    const { keyIndex, nonces } = optionsOf(options);
    const keyOf = keyOfEach(keyIndex, messages.count, this.size);
    return { ...messages, keyOf, nonces: noncesOfEach(nonces, messages.count), moreOf: 0 };
  }

  #tags(work) {
    const size = this.digestSize;
    const tags = new Uint8Array(work.count * size);
    this.#runs(work, (from, to, _, lens) => {
      const at = wasm.batch_tags(this.#number, to - from, ...lens);
      tags.set(taken(at, (to - from) * size), from * size);
    });
    return tags;
  }

  // Does this for each run of messages that the input area takes; a message that is longer is a run
  // of its own.
  #runs(work, call) {
    const { count, lenOf, nonces } = work;
    const each = 8 + nonces.size + work.moreOf;
    try {
      for (let from = 0, to; from < count; from = to) {
        let len = 4 + each + lenOf(from);
        for (to = from + 1; to < count && len + each + lenOf(to) <= AREA_LEN; to++) {
          len += each + lenOf(to);
        }
        reserve(len);
        const lens = [(to - from) * nonces.size, filled(work, from, to)];
        call(from, to, 4 + 8 * (to - from) + lens[0] + lens[1], lens);
      }
    } finally {
      reserve(0);
    }
  }

  #place(out, count) {
    if (!(out instanceof Uint8Array)) {
      throw new TypeError(`out: a Uint8Array is required, not ${kindOf(out)}`);
    }
    if (out.length !== count * this.digestSize) {
      const right = count * this.digestSize;
      throw new RangeError(`out has ${out.length} bytes, and the tags have ${right}`);
    }
    return out;
  }
}

if (Symbol.dispose !== undefined) {
  Object.defineProperty(Batch.prototype, Symbol.dispose, { value: Batch.prototype.free });
}

// Fills the input area with the messages `from` to `to`; returns the length of their data.
function filled({ keyOf, lenOf, nonces, write }, from, to) {
  const count = to - from;
  const head = numbers(2 * count + 1);
  let end = 0;
  for (let i = 0; i < count; i++) {
    head[i] = end;
    head[count + 1 + i] = keyOf(from + i);
    end += lenOf(from + i);
  }
  head[count] = end;
  const nonceAt = 4 * head.length;
  put(nonces.bytes.subarray(from * nonces.size, to * nonces.size), nonceAt);
  write(from, to, nonceAt + count * nonces.size);
  return end;
}

// Messages one by one.
function listed(messages) {
  const list = listOf(messages, "messages").map((message) => bytesOf(message, "a message"));
  return {
    count: list.length,
    lenOf: (i) => list[i].length,
    write(from, to, at) {
      for (let i = from; i < to; i++) {
        put(list[i], at);
        at += list[i].length;
      }
    },
  };
}

// Messages that offsets cut out of one buffer, as in Arrow: there is one more than messages.
function packed(data, offsets) {
  const bytes = bytesOf(data, "data");
  const bounds = wholeNumbers(offsets, "offsets");
  if (bounds.length === 0) {
    throw new RangeError("offsets is empty; it has one number more than there are messages");
  }
  for (let i = 0; i + 1 < bounds.length; i++) {
    if (!(0 <= bounds[i] && bounds[i] <= bounds[i + 1] && bounds[i + 1] <= bytes.length)) {
      const pair = `${bounds[i]} and ${bounds[i + 1]}`;
      const rest = `which is no part of ${bytes.length} bytes`;
      throw new RangeError(`offsets[${i}] and the next are ${pair}, ${rest}`);
    }
  }
  return {
    count: bounds.length - 1,
    lenOf: (i) => bounds[i + 1] - bounds[i],
    write: (from, to, at) => put(bytes.subarray(bounds[from], bounds[to]), at),
  };
}

// Which key each message is under. Without saying, one key is for all, and as many keys as messages
// are for one each.
function keyOfEach(keyIndex, count, keys) {
  if (keyIndex === undefined) {
    if (keys !== 1 && keys !== count) {
      const said = `${count} messages under ${keys} keys`;
      throw new RangeError(`${said}: keyIndex must say which has which`);
    }
    return keys === 1 ? () => 0 : (i) => i;
  }
  const index = wholeNumbers(keyIndex, "keyIndex");
  if (index.length !== count) {
    throw new RangeError(`keyIndex has ${index.length} numbers for ${count} messages`);
  }
  const wrong = index.findIndex((key) => key < 0 || key >= keys);
  if (wrong >= 0) {
    const rest = `there are ${keys} keys, counted from 0`;
    throw new RangeError(`keyIndex[${wrong}] is ${index[wrong]}, and ${rest}`);
  }
  return (i) => index[i];
}

// Nonces of one length that lie one behind the other.
function noncesOfEach(nonces, count) {
  if (nonces === undefined) {
    return { bytes: NONE, size: 0 };
  }
  const bytes = bytesOf(nonces, "nonces");
  const size = count === 0 ? 0 : bytes.length / count;
  if (!Number.isInteger(size)) {
    const rest = `which is no equal number for each of ${count} messages`;
    throw new RangeError(`nonces has ${bytes.length} bytes, ${rest}`);
  }
  return { bytes, size };
}

// A copy of an array of whole numbers, of any kind but those of BigInt: what was checked stays so.
function wholeNumbers(list, what) {
  const isArray = Array.isArray(list) || (ArrayBuffer.isView(list) && !(list instanceof DataView));
  if (!isArray) {
    throw new TypeError(`${what}: an array of numbers is required, not ${kindOf(list)}`);
  }
  const copy = Array.from(list);
  const wrong = copy.findIndex((number) => !Number.isSafeInteger(number));
  if (wrong >= 0) {
    throw new TypeError(`${what}[${wrong}] is ${String(copy[wrong])}, which is no whole number`);
  }
  return copy;
}

function listOf(list, what) {
  if (typeof list === "string" || ArrayBuffer.isView(list) || !list?.[Symbol.iterator]) {
    throw new TypeError(`${what}: a list is required, not ${kindOf(list)}`);
  }
  return Array.from(list);
}
