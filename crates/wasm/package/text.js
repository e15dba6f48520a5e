// Tags as text.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const ENCODINGS = {
  hex: (tag) => Array.from(tag, (byte) => HEX[byte]).join(""),
  base64: (tag) => btoa(String.fromCharCode(...tag)),
  base64url: (tag) =>
    ENCODINGS.base64(tag).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
};

export function encoderOf(encoding) {
  if (encoding === undefined) {
    return (tag) => tag;
  }
  if (!Object.hasOwn(ENCODINGS, encoding)) {
    const names = Object.keys(ENCODINGS).join(", ");
    throw new RangeError(`encoding is one of ${names}, not ${String(encoding)}`);
  }
  return ENCODINGS[encoding];
}
