// An app that signs in its users itself, and tells the API which requests come from the node's owner.
// Run: node_modules/.bin/node examples/own_sign_in.ts ~/.radicle [PORT]
// Needs Node.js 24.2 or newer, because earlier versions do not have `import.meta.main`.
// deno-lint-ignore-file no-console -- it prints for its user
import process from "node:process";
import { createHomeApi, createServer } from "../adapters/node/mod.ts";
import { NODE_OWNER } from "../mod.ts";

/**
 * Creates an app that is open to everyone. Clients that send one of the owner's tokens also see private
 * repositories, from any machine and through any proxy.
 */
export async function createApp(home: string, ownerTokens: ReadonlySet<string>) {
  const { api } = await createHomeApi({ home });
  return (request: Request): Promise<Response> => {
    const token = request.headers.get("x-app-token");
    // Other sites cannot send a custom header field, but browsers add cookies even to requests of other
    // sites. If you use cookies instead of a custom field, check the field `Origin`.
    const isOwner = token !== null && ownerTokens.has(token);
    return api.fetch(request, isOwner ? NODE_OWNER : undefined);
  };
}

if (import.meta.main) {
  const token = crypto.randomUUID();
  const [home = ".", port = "8080"] = process.argv.slice(2);
  const app = await createApp(home, new Set([token]));
  const address = { transport: "tcp", hostname: "127.0.0.1", port: Number(port) } as const;
  await createServer(app, { address });
  console.log(`curl --header "x-app-token: ${token}" http://127.0.0.1:${port}/api/v1/projects`);
}
