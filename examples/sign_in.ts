// Signs in with the key of a Radicle home, shows the session and ends it.
// Run: node_modules/.bin/node examples/sign_in.ts http://127.0.0.1:8080 ~/.radicle
// Needs Node.js 24.2 or newer, because earlier versions do not have `import.meta.main`.
// deno-lint-ignore-file no-console -- it prints for its user
import process from "node:process";
import { parseNid } from "../mod.ts";
import { type Client, createClient } from "../src/client/mod.ts";
import { fileSystem, openSigner } from "../adapters/node/mod.ts";

/** Returns a client that may change data on the service at `base`, in the name of the home's node. */
export async function signIn(base: string, home: string): Promise<Client> {
  const client = createClient(base);
  const { nid } = await client.get("/api/v1");
  const signer = await openSigner({
    home,
    nodeId: parseNid(nid),
    fileSystem,
    passphrase: process.env["RAD_PASSPHRASE"],
    agentSocket: process.env["SSH_AUTH_SOCK"],
  })();
  await client.signIn(signer);
  return client;
}

if (import.meta.main) {
  const [base = "http://127.0.0.1:8080", home = `${process.env["HOME"]}/.radicle`] = process.argv.slice(2);
  const client = await signIn(base, home);
  console.log(await client.get("/api/v1/sessions/:id", { id: client.token! }));
  await client.signOut();
}
