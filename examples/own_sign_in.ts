// An app that signs in its users itself and vouches for the node's owner.
// Run: node examples/own_sign_in.ts ~/.radicle
// deno-lint-ignore-file no-console -- it talks to whoever runs it
import process from "node:process";
import { createHomeApi, createServer } from "../adapters/node/mod.ts";
import { NODE_OWNER } from "../mod.ts";

/**
 * An app for everybody. A bearer of one of the owner's tokens sees private repositories, too, from any
 * machine and through any proxy.
 */
export async function createApp(home: string, ownerTokens: ReadonlySet<string>) {
  const { api } = await createHomeApi({ home });
  return (request: Request): Promise<Response> => {
    const token = request.headers.get("x-app-token");
    // Pages of other sites cannot send your own header field. They can send a cookie, so with cookies check
    // `Origin`.
    const isOwner = token !== null && ownerTokens.has(token);
    return api.fetch(request, isOwner ? NODE_OWNER : undefined);
  };
}

if (import.meta.main) {
  const token = crypto.randomUUID();
  const app = await createApp(process.argv[2] ?? ".", new Set([token]));
  await createServer(app, { address: { transport: "tcp", hostname: "127.0.0.1", port: 8080 } });
  console.log(`curl --header "x-app-token: ${token}" http://127.0.0.1:8080/api/v1/projects`);
}
