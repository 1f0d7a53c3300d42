/** Programs of others that read and write through the API are served, on all runtimes: each call that they send, as they send it. */
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import type { Signer } from "../../src/ports/signer.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import {
  removeFolder,
  type Runtime,
  RUNTIMES,
  type Service,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { Caller } from "./foreign_calls.ts";
import { BOTH, FOREIGN_CLIENTS, type ForeignClient } from "./foreign_clients.ts";
import { copyDemoHome } from "../support/demo_home.ts";

/** Name of the public repository of the demo home, with issues and patches. */
const NAME = "xylem-demo";

/** Options of the service for a client on a runtime. Whether a client works with options that it does not need is tried on one runtime. */
function triedOn(runtime: Runtime, { served }: ForeignClient): readonly (readonly string[])[] {
  return runtime === "node" ? served : served.slice(0, 1);
}

const folder = temporaryFolder("clients");
const made = join(folder, "made");
before(async () => {
  await copyDemoHome(made);
});
after(() => removeFolder(folder));

for (const runtime of RUNTIMES) {
  describe(`xylem on ${runtime} serves`, () => {
    const services = new Map<readonly string[], Service>();
    let signer: Signer, rid: string;

    before(async () => {
      const home = join(folder, runtime);
      cpSync(made, home, { recursive: true });
      const publicKey = readFileSync(join(home, "keys", "radicle.pub"), "utf8");
      signer = await openSigner({ home, nodeId: nodeIdOfPublicKey(publicKey), fileSystem })();
      const tried = new Set(FOREIGN_CLIENTS.flatMap((client) => triedOn(runtime, client)));
      await Promise.all(
        [...tried].map(async (args) => services.set(args, await startService(runtime, home, args))),
      );
      const listed = await (await fetch(`${services.get(BOTH)!.url}/api/v1/projects`)).json();
      rid = listed.find(({ name }: { readonly name: string }) => name === NAME).id;
    });
    after(() => Promise.all([...services.values()].map((service) => service.stop())));

    for (const client of FOREIGN_CLIENTS) {
      const { name, manner, run } = client;
      for (const args of triedOn(runtime, client)) {
        it(`${name}${args.length > 0 ? `, with ${args.join(" ")}` : ""}`, async () => {
          const { url } = services.get(args)!;
          // Sessions are of version 1.
          const token = args.includes("today") ? "" : await openAuthorized(url, signer);
          const caller = new Caller(url, manner);
          await run(caller, { rid, signer, token });
          caller.close();
        });
      }
    }

    it("no webhooks and no forms for signing in, which a fork of radicle-httpd added", async () => {
      const caller = new Caller(services.get(BOTH)!.url, FOREIGN_CLIENTS[0]!.manner);
      await caller.ask("GET", `/api/v1/projects/${rid}/webhooks`, { status: 404 });
      await caller.ask("GET", "/api/v1/oauth", { status: 404 });
      caller.close();
    });
  });
}
