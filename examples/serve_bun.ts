// The API in Bun's own server.
// Run: bun examples/serve_bun.ts ~/.radicle [PORT]
// deno-lint-ignore-file no-console -- it prints for its user
import process from "node:process";
import { clientOf, createHomeApi } from "../adapters/bun/mod.ts";

const [home = ".", port = "8080"] = process.argv.slice(2);
const { api, profile } = await createHomeApi({ home });

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  fetch: (request, server) => api.fetch(request, clientOf(request, server, "tcp")),
});
console.log(`${profile.alias} serves http://${server.hostname}:${server.port}`);
