/** Hostile clients: they occupy connections, answers or sign-ins. */
import { connect, type Socket } from "node:net";
import { Agent, request } from "node:http";
import { gitClients } from "./git_clients.ts";

/** A hostile client; `run` returns the failures. */
export interface HostileClient {
  readonly name: string;
  /**
   * @param url Base URL of the service.
   * @param longPath Path of an answer of many megabytes; `undefined` when the home has none.
   * @param attempts How often it was measured before. It does fewer things at once each time: what is cheap
   *   by itself and ready at once is one long turn of the event loop, on a busy machine above all.
   */
  readonly run: (url: string, longPath: string | undefined, attempts?: number) => Promise<readonly string[]>;
}

const IDLE_CONNECTIONS = 300;
const UNREAD_ANSWERS = 40;
const SIGN_INS = 10_000;
const SIGN_INS_AT_ONCE = 50;
const LINGER_MS = 2000;
const PAGE = "http://mallory.example.org";
/** More than a service has places for. */
const LISTENERS = 10_000;
const LISTENERS_AT_ONCE = 25;
const IDS = ["0123456789abcdef-1", "0123456789abcdef-999999999999999", `${"9".repeat(8000)}`, "\u00ff-1"];

const linger = () => new Promise((resume) => setTimeout(resume, LINGER_MS));

function open(url: string, text: string): Socket {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write(text);
  return socket;
}

/** Connections that send nothing, half a header, or half a body. */
export const idleConnections: HostileClient = {
  name: "300 idle connections",
  async run(url) {
    const sockets: Socket[] = [];
    const host = new URL(url).host;
    const starts = [
      "",
      `GET /api/v1 HTTP/1.1\r\nHost: ${host}\r\nX-`,
      `POST /api/v1/sessions HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\n{`,
    ];
    for (let i = 0; i < IDLE_CONNECTIONS; i++) sockets.push(open(url, starts[i % starts.length]!));
    await linger();
    for (const socket of sockets) socket.destroy();
    return [];
  },
};

/** Long answers that are requested and not read. */
export const unreadAnswers: HostileClient = {
  name: "40 unread answers",
  async run(url, longPath) {
    if (longPath === undefined) return [];
    const ask = `GET ${longPath} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`;
    const sockets = Array.from({ length: UNREAD_ANSWERS }, () => open(url, ask).pause());
    await linger();
    for (const socket of sockets) socket.destroy();
    return [];
  },
};

/** Ten thousand sign-ins of a foreign page, after one of the owner. */
export const signIns: HostileClient = {
  name: "10,000 sign-ins",
  async run(url) {
    const agent = new Agent({ keepAlive: true, maxSockets: SIGN_INS_AT_ONCE });
    const begin = (headers: Record<string, string>) => send(agent, "POST", `${url}/api/v1/sessions`, headers);
    const own = await begin({});
    const { sessionId } = JSON.parse(own.text) as { sessionId: string };
    const statuses = new Set<number>();
    for (let i = 0; i < SIGN_INS; i += SIGN_INS_AT_ONCE) {
      const some = Array.from({ length: SIGN_INS_AT_ONCE }, () => begin({ origin: PAGE }));
      for (const { status } of await Promise.all(some)) statuses.add(status);
    }
    const kept = await send(agent, "GET", `${url}/api/v1/sessions/${sessionId}`, {});
    agent.destroy();
    const faults: string[] = [];
    if (kept.status !== 200) faults.push(`the sign-in before them answers ${kept.status}`);
    if (!statuses.has(503)) faults.push(`none was refused: ${[...statuses].join()}`);
    return faults;
  },
};

/**
 * Ten thousand connects to live changes, by which nothing is read, with forged ids and long lists of types. Afterwards there is a place again.
 */
export const listeners: HostileClient = {
  name: "10,000 listeners",
  async run(url, _longPath, attempts = 0) {
    const { host } = new URL(url);
    const atOnce = Math.ceil(LISTENERS_AT_ONCE / 2 ** attempts);
    const faults: string[] = [];
    const sockets: Socket[] = [];
    for (let i = 0; i < LISTENERS; i++) {
      const types = i % 3 === 0 ? `?types=${"issue,".repeat(i % 999)}issue` : "";
      const ask = `GET /api/v1/events${types} HTTP/1.1\r\nHost: ${host}\r\nLast-Event-ID: ${
        IDS[i % IDS.length]
      }\r\n\r\n`;
      sockets.push(open(url, ask).pause());
      if (i % atOnce !== atOnce - 1) continue;
      const agent = new Agent();
      const { status } = await send(agent, "GET", `${url}/api/v1`, {});
      // Without an answer, its connection has made room for a newer one.
      if (status !== 200 && status !== 0) faults.push(`another client is answered ${status}`);
      for (const socket of sockets.splice(0, sockets.length - IDLE_CONNECTIONS)) socket.destroy();
    }
    await linger();
    for (const socket of sockets) socket.destroy();
    let answer = "";
    for (let tries = 0; tries < 5 && !answer.startsWith("HTTP/1.1 200 "); tries++) {
      await linger();
      const wire = open(url, `GET /api/v1/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      wire.on("data", (part) => answer = String(part));
      await linger();
      wire.destroy();
    }
    if (!answer.startsWith("HTTP/1.1 200 ")) faults.push(`no place of one who left: ${answer.slice(0, 40)}`);
    return faults;
  },
};

function send(
  agent: Agent,
  method: string,
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const asked = request(url, { method, headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => text += part);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on("error", () => resolve({ status: 0, text: "" }));
    asked.end();
  });
}

/** All hostile clients. */
export const CLIENTS: readonly HostileClient[] = [
  idleConnections,
  unreadAnswers,
  signIns,
  listeners,
  ...gitClients,
];
