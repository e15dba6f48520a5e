// What is known of the macs in this build.

// The catalog is a line for each mac, these facts in it separated by tabs.
const FACTS = [
  ["name", String],
  ["title", String],
  ["kind", String],
  ["standing", String],
  ["blockSize", Number],
  ["digestSize", Number],
  ["digestSizes", String],
  ["keySize", Number],
  ["keySizes", String],
  ["nonceSize", (text) => (text === "" ? null : Number(text))],
  ["nonceSizes", (text) => (text === "" ? null : text)],
  ["takesCustomization", (text) => text === "true"],
  ["takesTagLength", (text) => text === "true"],
];

// By name: its number, which the module takes, and what is known of it.
export function catalogOf(text) {
  const rows = text.trimEnd().split("\n").map((line, number) => {
    const words = line.split("\t");
    const facts = FACTS.map(([name, parsed], at) => [name, parsed(words[at])]);
    return { number, info: Object.freeze(Object.fromEntries(facts)) };
  });
  return new Map(rows.map((row) => [row.info.name, row]));
}
