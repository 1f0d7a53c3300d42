// The API of a home inside your own app, below a path that you choose.
// Run: node_modules/.bin/node examples/embed.ts ~/.radicle [PORT]
// Needs Node.js 24.2 or newer, because earlier versions do not have `import.meta.main`.
import process from "node:process";
import { createHomeApi, createServer } from "../adapters/node/mod.ts";

/** Creates an app that serves a page at `/`, and the API below `/radicle`. */
export async function createApp(home: string) {
  const { api } = await createHomeApi({ home, basePath: "/radicle" });
  return (request: Request, client?: Parameters<typeof api.fetch>[1]): Response | Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/radicle/")) return api.fetch(request, client);
    return new Response("My app. The API is at /radicle/api/v1", { status: pathname === "/" ? 200 : 404 });
  };
}

if (import.meta.main) {
  const [home = ".", port = "8080"] = process.argv.slice(2);
  const app = await createApp(home);
  const server = await createServer(app, {
    address: { transport: "tcp", hostname: "127.0.0.1", port: Number(port) },
  });
  process.stdout.write(`${JSON.stringify(server.address)}\n`);
}
