/** An ssh-agent behind a socket: one of our own, which behaves as each test wants. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createAskAgent } from "../../../adapters/node/signer.ts";
import { sshBytes } from "../../../src/bytes/ssh_bytes.ts";

const folder = mkdtempSync(join(tmpdir(), "xylem-agent-"));
const stops: (() => void)[] = [];
after(() => {
  for (const stop of stops) stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Listens on a socket of its own; `serve` gets each connection and its first chunk. Resolves with the socket's path. */
function startAgent(serve: (socket: Socket, chunk: Uint8Array) => void): Promise<string> {
  const path = join(folder, `agent${stops.length}`);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (chunk) => serve(socket, new Uint8Array(chunk as Uint8Array)));
  });
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new Promise((resolve) => server.listen(path, () => resolve(path)));
}

const QUESTION = Uint8Array.of(11);
const ANSWER = Uint8Array.of(12, 0, 0, 0, 0);
const fails = (answer: Promise<unknown>, message: RegExp) =>
  assert.rejects(answer, { name: "KeyError", message });

describe("asking an ssh-agent", () => {
  it("sends the message in a frame and gives the answer out of its own", async () => {
    const path = await startAgent((socket, chunk) => {
      assert.deepEqual(chunk, sshBytes(QUESTION));
      socket.end(sshBytes(ANSWER));
    });
    assert.deepEqual(await createAskAgent(path)(QUESTION), ANSWER);
  });

  it("puts an answer together that comes in pieces", async () => {
    const long = new Uint8Array(200_000).fill(12);
    const path = await startAgent((socket) => {
      const frame = sshBytes(long);
      socket.write(frame.subarray(0, 3), () => {
        setTimeout(() =>
          socket.write(frame.subarray(3, 1000), () => setTimeout(() => socket.write(frame.subarray(1000))))
        );
      });
    });
    assert.deepEqual(await createAskAgent(path)(QUESTION), long);
  });

  it("needs no agent that closes the connection", async () => {
    const path = await startAgent((socket) => void socket.write(sshBytes(ANSWER)));
    const ask = createAskAgent(path);
    assert.deepEqual(await Promise.all([ask(QUESTION), ask(QUESTION)]), [ANSWER, ANSWER]);
  });

  it("fails when there is no agent", async () => {
    await fails(createAskAgent(join(folder, "none"))(QUESTION), /Cannot reach ssh-agent/);
  });

  it("fails when the agent hangs up", async () => {
    const path = await startAgent((socket) => void socket.end(sshBytes(ANSWER).subarray(0, 6)));
    await fails(createAskAgent(path)(QUESTION), /closed the connection/);
  });

  it("fails when the answer does not come in time", async () => {
    const path = await startAgent(() => {});
    await fails(createAskAgent(path, 50)(QUESTION), /does not answer in time/);
  });

  it("does not wait for an answer that is too long", async () => {
    const path = await startAgent((socket) => void socket.write(sshBytes(2 ** 24)));
    await fails(createAskAgent(path)(QUESTION), /longer than/);
  });
});
