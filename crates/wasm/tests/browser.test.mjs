// The package in Chromium, as it is served by any web server; skipped where there is none.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { macs } from "./macs.mjs";

const folder = dirname(createRequire(import.meta.url).resolve("macs-wasm/package.json"));
const here = dirname(fileURLToPath(import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

// Serves the page and the package until the page has said what it computed; a server that does not
// know the type of WebAssembly is one, too.
function served(types) {
  const server = createServer((request, response) => {
    const [, extension] = request.url.match(/(\.\w+)$/) ?? [];
    if (request.method === "POST") {
      json(request).then((said) => server.emit("said", said));
      response.end();
      return;
    }
    try {
      const place = request.url.startsWith("/macs-wasm/") ? folder : here;
      const body = readFileSync(join(place, basename(request.url)));
      response.writeHead(200, { "content-type": types[extension] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(server)));
}

// What the page says; undefined where there is no browser.
async function said(server) {
  const profile = mkdtempSync(join(tmpdir(), "macs-wasm-"));
  const address = `http://127.0.0.1:${server.address().port}/page.html`;
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"];
  const all = [...flags, `--user-data-dir=${profile}`, address];
  // With all of its processes, which write into the profile, it is a group that can be ended.
  const browser = spawn("chromium", all, { stdio: "ignore", detached: true });
  const ended = once(browser, "exit").catch(() => []);
  try {
    const isMissing = once(browser, "error").then(() => undefined);
    return await Promise.race([once(server, "said").then(([said]) => said), isMissing]);
  } finally {
    server.close();
    server.closeAllConnections();
    if (browser.pid !== undefined) {
      process.kill(-browser.pid, "SIGKILL");
    }
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

for (const [servedAs, types] of [["itself", TYPES], ["any bytes", { ...TYPES, ".wasm": undefined }]]) {
  test(`in Chromium, WebAssembly served as ${servedAs}`, { timeout: 60000 }, async (context) => {
    const computed = await said(await served(types));
    if (computed === undefined) {
      context.skip("no chromium");
      return;
    }
    const [zeros, long] = [(len) => new Uint8Array(len), new Uint8Array(200000).fill(7)];
    const tags = [
      Buffer.from(macs.digest("hmac-sha256", "key", "a message")).toString("hex"),
      macs.digest("blake3-keyed", zeros(32), long).join(),
      macs.digest("cmac-aes-128", zeros(16), "one").join(),
      macs.digest("cmac-aes-128", zeros(16), long).join(),
    ];
    assert.deepEqual(computed, { tags, wasm: ["macs.simd128.wasm"] });
  });
}
