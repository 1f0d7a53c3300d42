/** Hostile clients of git, and the repository that they fetch from. */
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { pktLine } from "../../extensions/git/pkt_line.ts";
import { putCommit } from "../support/world.ts";
import { noise } from "../support/noise.ts";
import type { HostileClient } from "./clients.ts";
import { documentOf, type HostileClass, setHead } from "./target.ts";

const TYPE = "application/x-git-upload-pack-request";
const [FILES, FILE_BYTES] = [4, 12 * 1024 * 1024];

const SLOW_CLIENTS = 12;
/** Bytes that each of them reads in a second, this many times a second. */
const [SLOW_BYTES, STEPS] = [32 * 1024, 16];
/** Requests of honest clients beside the slow ones, and how long one may take. */
const [HONEST, PATIENCE_MS] = [12, 2000];

const BOMBS = 20;
const FRAMES = 2_600_000;
const UNKNOWN = 30;

/** Files that no pack makes smaller. */
export const largePack: HostileClass = {
  name: "a large pack",
  fill(target, { alice, head }) {
    const folder: Record<string, Uint8Array> = {};
    for (let i = 0; i < FILES; i++) folder[`file${i}`] = noise(FILE_BYTES, i + 1);
    setHead(target, alice, putCommit(target, { folder, parents: [head], message: "Add files\n" }));
    return ["", "/commits"];
  },
};

const RID = documentOf(largePack.name).rid;

/** Objects wanted in version 2 of the protocol. */
function wanting(...oids: readonly string[]): string {
  const wants = oids.map((oid) => pktLine(`want ${oid}\n`)).join("");
  return `${pktLine("command=fetch\n")}0001${pktLine("no-progress\n")}${wants}${pktLine("done\n")}0000`;
}

function send(url: string, body: string | Uint8Array<ArrayBuffer>, headers: HeadersInit = {}) {
  return fetch(`${url}/${RID}.git/git-upload-pack`, {
    method: "POST",
    headers: { "content-type": TYPE, "git-protocol": "version=2", ...headers },
    body,
  });
}

/** The branch of the repository; `undefined` when the home has none. */
async function headOf(url: string): Promise<string | undefined> {
  const text = await (await fetch(`${url}/${RID}.git/info/refs`)).text();
  return /^([0-9a-f]{40})\trefs\/heads\/master$/m.exec(text)?.[1];
}

/** Asks for the whole pack, and reads it slowly. */
function readSlowly(url: string, body: string): { readonly hasBegun: Promise<void>; leave(): void } {
  const { port, host } = new URL(url);
  const socket: Socket = connect(Number(port), "127.0.0.1");
  const begun = Promise.withResolvers<void>();
  socket.on("error", () => {});
  socket.on("close", () => begun.resolve());
  socket.on("readable", () => begun.resolve());
  socket.write(
    `POST /${RID}.git/git-upload-pack HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${TYPE}\r\n` +
      `Git-Protocol: version=2\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const timer = setInterval(() => void socket.read(SLOW_BYTES / STEPS), 1000 / STEPS);
  return {
    hasBegun: begun.promise,
    leave() {
      clearInterval(timer);
      socket.destroy();
    },
  };
}

/** Takes the time of a request. */
async function timed(what: string, ask: () => Promise<Response>): Promise<readonly string[]> {
  const startMs = performance.now();
  const response = await ask();
  await response.arrayBuffer();
  const ms = performance.now() - startMs;
  return [
    ...(response.status === 200 ? [] : [`${what} is answered ${response.status}`]),
    ...(ms <= PATIENCE_MS ? [] : [`${what} takes ${ms.toFixed(0)} ms`]),
  ];
}

/** Packs that are read slowly take all places for packs; others list references and fetch little. */
const slowPacks: HostileClient = {
  name: "12 slow readers of a pack",
  async run(url) {
    const head = await headOf(url);
    if (head === undefined) return [];
    const slow = Array.from({ length: SLOW_CLIENTS }, () => readSlowly(url, wanting(head)));
    // Of those that have a place; the others wait.
    await Promise.race(slow.map(({ hasBegun }) => hasBegun));
    const faults: string[] = [];
    for (let i = 0; i < HONEST; i++) {
      faults.push(
        ...await timed("info/refs", () => fetch(`${url}/${RID}.git/info/refs?service=git-upload-pack`)),
        ...await timed("ls-refs", () => send(url, `${pktLine("command=ls-refs\n")}00010000`)),
        ...await timed(
          "a shallow fetch without files",
          () => send(url, wanting(head).replace("0001", `0001${pktLine("filter tree:0")}`)),
        ),
      );
    }
    for (const { leave } of slow) leave();
    return faults;
  },
};

/** Small bodies that unpack to very many frames without content. */
const frameBombs: HostileClient = {
  name: "20 requests of 2,600,000 frames",
  async run(url) {
    if (await headOf(url) === undefined) return [];
    const statuses = new Set<number>();
    for (const frame of ["0000", "0001"]) {
      const body = Uint8Array.from(gzipSync(frame.repeat(FRAMES)));
      const all = Array.from({ length: BOMBS / 2 }, () => send(url, body, { "content-encoding": "gzip" }));
      for (const { status } of await Promise.all(all)) statuses.add(status);
    }
    // The bodies that arrive at a time have a bound, too.
    const wrong = [...statuses].filter((status) => status !== 413 && status !== 503);
    return wrong.length === 0 ? [] : [`they are answered ${wrong.join()}`];
  },
};

/** Objects that are not there. */
const unknownWants: HostileClient = {
  name: "30 wants of unknown objects",
  async run(url) {
    if (await headOf(url) === undefined) return [];
    const all = Array.from({ length: UNKNOWN }, async (_, i) => {
      const oid = i.toString(16).padStart(40, "1");
      return await timed("an unknown object", () => send(url, wanting(oid)));
    });
    return (await Promise.all(all)).flat();
  },
};

/** Hostile clients of git. */
export const gitClients: readonly HostileClient[] = [slowPacks, frameBombs, unknownWants];
