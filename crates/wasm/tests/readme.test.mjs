// What the README shows runs, and the package is whole.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve("macs-wasm/package.json"));
const here = dirname(fileURLToPath(import.meta.url));

test("the programs of the README run", () => {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const programs = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, program]) => program);
  assert.equal(programs.length, 3);
  const more = [
    `import { createHmac as theirs } from "node:crypto";
     if (tag !== theirs("sha256", "secret").update("a message").digest("hex") || !isRight) throw tag;`,
    `if (one.length !== 32 || two.length !== 32 || tags.length !== 96) throw tags;`,
    ``,
  ];
  programs.forEach((program, number) => {
    const file = join(here, `readme_${number}.mjs`);
    writeFileSync(file, program + more[number]);
    execFileSync(process.execPath, [file], { stdio: ["ignore", "inherit", "inherit"] });
    rmSync(file);
  });
});

const mayRequire = process.features.require_module === true;
test("require has it, too", { skip: !mayRequire && "not in this Node.js" }, async () => {
  const { digest } = require("macs-wasm");
  const { digest: imported } = await import("macs-wasm");
  assert.equal(digest, imported);
  assert.equal(digest("hmac-sha256", "key", "a message").length, 32);
});

test("the package is whole", () => {
  const files = readdirSync(folder);
  for (const file of ["LICENSE-APACHE", "LICENSE-MIT", "index.d.ts", "bare.d.ts", "web.js"]) {
    assert.ok(files.includes(file), file);
  }
  assert.match(readFileSync(join(folder, "LICENSE-MIT"), "utf8"), /Permission is hereby granted/);
  assert.equal(require("macs-wasm/package.json").version, process.env.MACS_WASM_VERSION);
});

test("the types name what there is, and nothing else", async () => {
  const types = readFileSync(join(folder, "index.d.ts"), "utf8");
  const named = [...types.matchAll(/^export (?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  const there = Object.keys(await import("macs-wasm")).filter((name) => !name.startsWith("_"));
  assert.deepEqual(named.sort(), there.sort());
});

test("nothing of where it was built is in the modules, and they ask for nothing", () => {
  for (const file of ["macs.wasm", "macs.simd128.wasm"]) {
    const bytes = readFileSync(join(folder, file));
    for (const place of [process.env.HOME, "/home/", dirname(dirname(here))]) {
      assert.equal(bytes.indexOf(`${place}`), -1, `${file}: ${place}`);
    }
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
  }
});
