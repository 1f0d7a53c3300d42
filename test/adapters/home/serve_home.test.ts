/** A service on a home after its start. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Operator } from "../../../adapters/server/operator.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { adapter } from "../this_runtime.ts";

describe("serveHome", () => {
  const folder = temporaryFolder("serve-home");
  let home: string;
  before(() => {
    home = unpackHome("browse.tar.gz", folder);
  });
  after(() => removeFolder(folder));

  /** Serves the home; `onAnswered` hears of each request that reaches the API. */
  const serve = (onAnswered: () => void, warmUp?: boolean) => {
    const operator: Operator = {
      addressOf: () => undefined,
      wrap: (handler) => handler,
      idOf: () => "",
      begin: () => {},
      answered: onAnswered,
      end: () => {},
      stopping: () => {},
    };
    return adapter.serve({
      home,
      listen: [{ transport: "tcp", hostname: "127.0.0.1", port: 0 }],
      operator,
      warmUp,
    });
  };

  it("requests the first projects from itself, unless that is switched off", async () => {
    let cold = 0;
    const warmed = Promise.withResolvers<void>();
    // The earlier one would ask earlier.
    const silent = await serve(() => cold++, false);
    const usual = await serve(() => warmed.resolve());
    try {
      await warmed.promise;
      assert.equal(cold, 0);
      assert.equal((await fetch(`${silent.urls[0]}/api/v1`)).status, 200);
      assert.equal(cold, 1);
    } finally {
      await usual.close();
      await silent.close();
    }
  });
});
