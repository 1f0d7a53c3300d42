/** The example that signs in, against the routes of sessions behind a real socket. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createServer } from "../../adapters/node/http_server.ts";
import { formatAddress } from "../../adapters/server/address.ts";
import { signIn } from "../../examples/sign_in.ts";
import { PLAIN } from "../keys/key_files.ts";
import { createSessionApi } from "../session/session_api.ts";

const home = mkdtempSync(join(tmpdir(), "xylem-sign-in-"));
mkdirSync(join(home, "keys"));
writeFileSync(join(home, "keys", "radicle"), PLAIN.file);

const { answer } = await createSessionApi({ keyByte: 0xff });
const server = await createServer(answer, {
  address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
});
const base = formatAddress(server.address);

after(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

describe("examples/sign_in.ts", () => {
  it("gets a session authorized, and ends it", async () => {
    const client = await signIn(base, home);
    const id = client.token!;
    const session = await client.get("/api/v1/sessions/:id", { id });
    assert.ok("publicKey" in session);
    assert.deepEqual([session.status, session.publicKey], ["authorized", PLAIN.nodeId]);
    await client.signOut();
    await assert.rejects(client.get("/api/v1/sessions/:id", { id }), { code: "notFound" });
  });
});
