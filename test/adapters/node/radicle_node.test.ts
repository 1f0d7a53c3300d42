/** The control socket, asked on whichever runtime runs this test. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createAskNode, createSubscribeToNode } from "../../../adapters/node/radicle_node.ts";
import { type AnswerLimits, type NodeObstacle, NodeSocketError } from "../../../src/ports/node_socket.ts";

const LIMITS: AnswerLimits = { timeoutMs: 10_000, limitBytes: 1000 };

let folder: string;
before(() => folder = mkdtempSync(join(tmpdir(), "xylem-socket-")));
after(() => rmSync(folder, { recursive: true }));

const path = () => join(folder, "control.sock");

/** While something listens that does `answer` with each connection once a line has come; returns the lines. */
async function whileListening(
  answer: (socket: Socket, line: string) => void,
  test: () => Promise<void>,
): Promise<string[]> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    let text = "";
    socket.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      if (!text.endsWith("\n")) return;
      lines.push(text);
      answer(socket, text);
    });
  }).listen(path());
  await once(server, "listening");
  try {
    await test();
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  }
  return lines;
}

const ask = (line = "{}", limits = LIMITS, at = path()) => createAskNode(at)(line, limits);

async function rejects(call: Promise<string>, obstacle: NodeObstacle): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof NodeSocketError, String(error));
    assert.equal(error.obstacle, obstacle, error.message);
    return true;
  });
}

describe("createAskNode", () => {
  it("sends one line and takes the answer up to the line feed", async () => {
    const lines = await whileListening((socket) => socket.write('{"ok":"ü"}\n{"more":1}\n'), async () => {
      assert.equal(await ask('{"command":"status"}'), '{"ok":"ü"}');
    });
    assert.deepEqual(lines, ['{"command":"status"}\n']);
  });

  it("takes an answer that ends with the connection, like the answer to a fetch", async () => {
    await whileListening((socket) => socket.end('{"status":"success"}'), async () => {
      assert.equal(await ask(), '{"status":"success"}');
    });
  });

  it("puts together an answer that comes in pieces, split within a character", async () => {
    const bytes = new TextEncoder().encode('{"name":"né"}\n');
    await whileListening((socket) => {
      socket.write(bytes.subarray(0, 11));
      setTimeout(() => socket.write(bytes.subarray(11)));
    }, async () => assert.equal(await ask(), '{"name":"né"}'));
  });

  it("gives what came before the connection broke, whatever that is", async () => {
    await whileListening((socket) => socket.end('{"status":"succ'), async () => {
      assert.equal(await ask(), '{"status":"succ');
    });
  });

  it("asks several questions at once, each over a connection of its own", async () => {
    await whileListening((socket, line) => socket.write(line), async () => {
      assert.deepEqual(await Promise.all(["1", "2", "3"].map((line) => ask(line))), ["1", "2", "3"]);
    });
  });

  it("reports an absent node when the socket is missing or left behind", async () => {
    await rejects(ask("{}", LIMITS, join(folder, "none.sock")), "absent");
    writeFileSync(join(folder, "stale.sock"), "");
    await rejects(ask("{}", LIMITS, join(folder, "stale.sock")), "absent");
  });

  it("cannot use a path that is too long for a socket", async () => {
    await rejects(ask("{}", LIMITS, join(folder, "x".repeat(200))), "denied");
  });

  it("does not wait for a silent node beyond its time limit", async () => {
    await whileListening(() => {}, () => rejects(ask("{}", { ...LIMITS, timeoutMs: 30 }), "silent"));
  });

  it("does not wait for one that never ends either", async () => {
    await whileListening((socket) => {
      const timer = setInterval(() => socket.write("x"), 5);
      socket.on("close", () => clearInterval(timer));
    }, () => rejects(ask("{}", { ...LIMITS, timeoutMs: 60 }), "silent"));
  });

  it("takes an answer of the largest size and no byte more", async () => {
    const full = "x".repeat(LIMITS.limitBytes);
    await whileListening((socket) => socket.write(`${full}\n`), async () => assert.equal(await ask(), full));
    await whileListening((socket) => socket.write(`${full}x\n`), () => rejects(ask(), "broken"));
    await whileListening((socket) => socket.end(`${full}x`), () => rejects(ask(), "broken"));
  });

  it("takes no bytes for an answer that are no text", async () => {
    await whileListening((socket) => socket.write(Uint8Array.of(0xff, 0x0a)), () => rejects(ask(), "broken"));
  });

  it("misses an answer that does not come", async () => {
    await whileListening((socket) => socket.end(), () => rejects(ask(), "broken"));
    await whileListening((socket) => socket.destroy(), () => rejects(ask(), "broken"));
  });
});

describe("createSubscribeToNode", () => {
  /** Hears until the connection ends; or until so many lines have come. */
  async function hear(most = Infinity, limitBytes = 10): Promise<string[]> {
    const told: string[] = [];
    const ending = new AbortController();
    const listener = {
      onOpen: () => void told.push("open"),
      onLine: (line: string) => {
        told.push(line);
        if (told.length > most) ending.abort();
      },
    };
    await createSubscribeToNode(path())("{}", listener, { limitBytes, signal: ending.signal });
    return told;
  }

  it("yields lines as they arrive, however they are cut, until the node closes the connection", async () => {
    const lines = await whileListening((socket) => {
      socket.write("one\ntw");
      setTimeout(() => socket.end("o\n\nthree\nfour"));
    }, async () => assert.deepEqual(await hear(), ["open", "one", "two", "", "three"]));
    assert.deepEqual(lines, ["{}\n"]);
  });

  it("holds only the beginning of a long line", async () => {
    await whileListening((socket) => {
      socket.write("0123456789".repeat(10_000));
      setTimeout(() => socket.end("0123456789\nnext\n"));
    }, async () => assert.deepEqual(await hear(), ["open", "0123456789", "next"]));
  });

  it("ends when its signal does", async () => {
    await whileListening((socket) => socket.write("one\ntwo\n"), async () => {
      assert.deepEqual(await hear(2), ["open", "one", "two"]);
    });
    const signal = AbortSignal.abort();
    await createSubscribeToNode(path())("{}", { onOpen: assert.fail, onLine: assert.fail }, {
      limitBytes: 1,
      signal,
    });
  });

  it("reports an absent node", async () => {
    await assert.rejects(hear(), (error) => error instanceof NodeSocketError && error.obstacle === "absent");
  });
});
