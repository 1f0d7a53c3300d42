// The API in Deno's own server, with only the permissions that it needs.
// Run: deno run --allow-read=$HOME/.radicle --allow-net=127.0.0.1:8080 examples/serve_deno.ts ~/.radicle [PORT]
// deno-lint-ignore-file no-console -- it prints for its user
import { clientOf, createHomeApi } from "../adapters/deno/mod.ts";

const [home = ".", port = "8080"] = Deno.args;
const { api, profile } = await createHomeApi({ home });

Deno.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  onListen: ({ hostname, port }) => console.log(`${profile.alias} serves http://${hostname}:${port}`),
}, (request, info) => api.fetch(request, clientOf(info.remoteAddr, request)));
