/** The key that changes are signed with. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requireSigner } from "../../src/session/key_sign_in.ts";
import { ALICE, BOB } from "../support/world.ts";

const signerOf = (nodeId: typeof ALICE) => ({ nodeId, sign: () => Promise.resolve(new Uint8Array(64)) });
const isUnauthorized = { name: "UnauthorizedError", message: "Unauthorized" };

describe("requireSigner", () => {
  it("gives the node's signer, asked for each time", async () => {
    let loads = 0;
    const load = () => (loads++, signerOf(ALICE));
    assert.equal((await requireSigner(load, ALICE)).nodeId, ALICE);
    await requireSigner(load, ALICE);
    assert.equal(loads, 2);
  });

  it("refuses when the host has no signer, has none now, or has another node's", async () => {
    await assert.rejects(requireSigner(undefined, ALICE), isUnauthorized);
    await assert.rejects(requireSigner(() => undefined, ALICE), isUnauthorized);
    await assert.rejects(requireSigner(() => Promise.resolve(undefined), ALICE), isUnauthorized);
    await assert.rejects(requireSigner(() => signerOf(BOB), ALICE), isUnauthorized);
  });
});
