/** Chromium: a page asks a service worker, which answers with a storage in memory. Bundled by esbuild and by vite. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Browser, startBrowser } from "../interop/browser_process.ts";
import { makeFolder, mustRun, PATHS, RUNTIMES } from "./consumer.ts";
import { dumpHome, expectedFromMemory, fill, NODE_ID, type RepositoryDump } from "./dump.ts";

const SERVICE_WORKER = `
import { createApi, parseNid } from "xylem-http";
import { createMemoryStorage } from "xylem-http/memory";
import { loadLibgit2 } from "xylem-http/libgit2";

const fill = ${fill};
const storage = createMemoryStorage();
const api = createApi({
  storage,
  profile: { nodeId: parseNid(${JSON.stringify(NODE_ID)}), pinned: () => [] },
  loadLibgit2,
});
addEventListener("install", (event) =>
  event.waitUntil(fetch("/dump.json").then((response) => response.json()).then((dump) => fill(storage, dump)).then(() => skipWaiting()))
);
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname.startsWith("/api/")) event.respondWith(api.fetch(event.request));
});
`;

const scripts: Record<string, string> = {};
let dump: readonly RepositoryDump[];
let expected: string[];
let server: Server;
let browser: Browser;
let origin: string;

before(async () => {
  const folder = makeFolder("browser", {
    "in.mjs": SERVICE_WORKER,
    "esbuild.mjs": `import { build } from "esbuild";
      await build({ entryPoints: ["in.mjs"], outfile: "by_esbuild.js", bundle: true, minify: true, platform: "browser", logLevel: "error" });`,
    "vite.mjs": `import { build } from "vite";
      await build({
        configFile: false, logLevel: "error",
        build: { lib: { entry: "in.mjs", formats: ["iife"], name: "worker", fileName: () => "by_vite.js" }, outDir: ".", emptyOutDir: false },
      });`,
  });
  await mustRun(RUNTIMES.node, ["esbuild.mjs"], { cwd: folder });
  await mustRun(RUNTIMES.node, ["vite.mjs"], { cwd: folder });
  for (const name of ["by_esbuild.js", "by_vite.js"]) {
    scripts[`/${name}`] = readFileSync(join(folder, name), "utf8");
  }
  dump = dumpHome();
  expected = await expectedFromMemory(dump);
  server = createServer(({ url = "" }, response) => {
    const script = scripts[url];
    const type = script !== undefined
      ? "text/javascript"
      : url === "/dump.json"
      ? "application/json"
      : "text/html";
    response.setHeader("content-type", type);
    response.end(
      script ?? (url === "/dump.json" ? JSON.stringify(dump) : "<!doctype html><title>page</title>"),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = startBrowser([]);
});
after(async () => {
  await browser?.stop();
  server?.closeAllConnections();
  server?.close();
});

describe("a service worker", () => {
  for (const bundler of ["esbuild", "vite"]) {
    it(`bundled by ${bundler} answers a page from memory`, async () => {
      const page = await browser.open(`${origin}/page_of_${bundler}`);
      const lines = await page.run(
        async (script: string, paths: readonly string[]) => {
          for (const old of await navigator.serviceWorker.getRegistrations()) await old.unregister();
          const controlled = new Promise((resolve) =>
            navigator.serviceWorker.addEventListener("controllerchange", resolve)
          );
          await navigator.serviceWorker.register(script);
          await controlled;
          const lines: string[] = [];
          for (const path of paths) {
            const response = await fetch(path);
            const digest = new Uint8Array(
              await crypto.subtle.digest("SHA-256", await response.arrayBuffer()),
            );
            const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
            lines.push(`${response.status} ${hex}`);
          }
          return lines;
        },
        `/by_${bundler}.js`,
        PATHS,
      );
      assert.deepEqual(lines, expected);
    });
  }
});
