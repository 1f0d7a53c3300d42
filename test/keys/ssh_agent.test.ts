/** Messages of the ssh-agent protocol. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base16 } from "@scure/base";
import { importEd25519 } from "../../src/keys/ed25519.ts";
import {
  type AskAgent,
  decodeFrame,
  decodeIdentities,
  decodeSignature,
  encodeSignRequest,
  openAgentSigner,
} from "../../src/keys/ssh_agent.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { sshBytes, type SshValue } from "../../src/bytes/ssh_bytes.ts";
import { nodeIdOf, PLAIN, PUBLIC, SECRET } from "./key_files.ts";

const hex = (text: string) => Uint8Array.from(base16.decode(text.replace(/\s/g, "").toUpperCase()));
const answer = (type: number, ...values: SshValue[]) => joinBytes([Uint8Array.of(type), sshBytes(...values)]);
const blob = sshBytes("ssh-ed25519", PUBLIC);
const REFUSAL = Uint8Array.of(5);

describe("encodeSignRequest", () => {
  it("is the message that Radicle sends", () => {
    const key = hex("d0e85c8ae17274639cb1945d415dc6192ecb4f259133b0ae3d88a06b045faf90");
    const frame = sshBytes(encodeSignRequest(key, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9)));
    assert.deepEqual(
      frame,
      hex(`00000049 0d 00000033 0000000b 7373682d65643235353139 00000020
           d0e85c8ae17274639cb1945d415dc6192ecb4f259133b0ae3d88a06b045faf90
           00000009 010203040506070809 00000000`),
    );
  });
});

describe("decodeIdentities", () => {
  it("gives the Ed25519 keys and skips others", () => {
    const rsa = sshBytes("ssh-rsa", Uint8Array.of(1, 0, 1), new Uint8Array(256));
    assert.deepEqual(decodeIdentities(answer(12, 3, rsa, "a", blob, "b", sshBytes("ssh-dss"), "c")), [
      PUBLIC,
    ]);
    assert.deepEqual(decodeIdentities(answer(12, 0)), []);
  });

  for (
    const [what, bytes] of [
      ["a refusal", REFUSAL],
      ["an answer to something else", answer(14, 0)],
      ["nothing", new Uint8Array()],
      ["a list without count", Uint8Array.of(12)],
      ["a count beyond the list", answer(12, 0xffffffff, blob, "")],
      ["a key without comment", answer(12, 1, blob)],
      ["a key of 31 bytes", answer(12, 1, sshBytes("ssh-ed25519", PUBLIC.subarray(1)), "")],
      ["a length beyond the end", answer(12, 1, 0xffffffff)],
    ] as const
  ) {
    it(`refuses ${what}`, () => assert.throws(() => decodeIdentities(bytes), { name: "KeyError" }));
  }
});

describe("decodeSignature", () => {
  it("gives the 64 bytes", () => {
    const signature = Uint8Array.from({ length: 64 }, (_, i) => i);
    assert.deepEqual(decodeSignature(answer(14, sshBytes("ssh-ed25519", signature))), signature);
  });

  for (
    const [what, bytes] of [
      ["a refusal", REFUSAL],
      ["a list", answer(12, 0)],
      ["another kind of signature", answer(14, sshBytes("rsa-sha2-256", new Uint8Array(64)))],
      ["63 bytes", answer(14, sshBytes("ssh-ed25519", new Uint8Array(63)))],
      ["no bytes", answer(14, "")],
    ] as const
  ) {
    it(`refuses ${what}`, () => assert.throws(() => decodeSignature(bytes), { name: "KeyError" }));
  }
});

describe("decodeFrame", () => {
  it("waits until a message is whole", () => {
    const frame = sshBytes(Uint8Array.of(12, 0, 0, 0, 0));
    for (let length = 0; length < frame.length; length++) {
      assert.equal(decodeFrame(frame.slice(0, length)), undefined);
    }
    assert.deepEqual(decodeFrame(frame), Uint8Array.of(12, 0, 0, 0, 0));
    assert.deepEqual(decodeFrame(joinBytes([frame, frame])), Uint8Array.of(12, 0, 0, 0, 0));
  });

  it("waits for a long answer, and refuses to wait for a huge one", () => {
    assert.equal(decodeFrame(sshBytes(200_000)), undefined);
    assert.throws(() => decodeFrame(sshBytes(2 ** 24)), { name: "KeyError" });
  });
});

describe("openAgentSigner", () => {
  /** An agent that holds the key, and signs with whatever it is told to. */
  const agent =
    (sign: (message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>): AskAgent => async (request) => {
      if (request[0] === 11) return answer(12, 1, blob, "radicle");
      const message = request.slice(1 + 4 + blob.length + 4, -4);
      assert.deepEqual(request, encodeSignRequest(PUBLIC, message));
      return answer(14, sshBytes("ssh-ed25519", await sign(message)));
    };

  it("signs with the agent's key", async () => {
    const key = await importEd25519(SECRET);
    const signer = await openAgentSigner(agent(key.sign), PLAIN.nodeId);
    const message = Uint8Array.of(1, 2, 3);
    assert.equal(signer.nodeId, PLAIN.nodeId);
    assert.deepEqual(await signer.sign(message), await key.sign(message));
  });

  it("refuses a signature that does not verify", async () => {
    const signer = await openAgentSigner(agent(() => Promise.resolve(new Uint8Array(64))), PLAIN.nodeId);
    await assert.rejects(signer.sign(Uint8Array.of(1)), { name: "KeyError", message: /does not verify/ });
  });

  it("refuses an agent without the node's key", async () => {
    const unused = agent(() => assert.fail("asked"));
    await assert.rejects(openAgentSigner(unused, await nodeIdOf(1)), {
      name: "KeyError",
      message: /does not hold/,
    });
    await assert.rejects(openAgentSigner(() => Promise.resolve(REFUSAL), PLAIN.nodeId), {
      message: /refused/,
    });
  });
});
