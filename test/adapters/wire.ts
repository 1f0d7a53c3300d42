/** A client that sends bytes as they are, for requests that no HTTP library would make. */
import { connect, type Socket } from "node:net";
import type { Address } from "../../adapters/server/address.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** An open connection. */
export interface Wire {
  send(text: string): void;
  /** Everything received so far, once it holds this; fails when the connection ends before. */
  until(text: string): Promise<string>;
  /** Everything received until the other side ended the connection. */
  end(): Promise<string>;
  /** Resolves when the connection has ended, whoever ended it; while nothing is read, the other side's end is not noticed. */
  readonly closed: Promise<void>;
  /** Reads nothing from now on. */
  hold(): void;
  /** Leaves without a word. */
  leave(): void;
}

/** Opens a connection. */
export function open(address: Address): Promise<Wire> {
  const socket = address.transport === "unix"
    ? connect(address.path)
    : connect(address.port, address.hostname);
  const opened = Promise.withResolvers<Wire>();
  socket.once("connect", () => opened.resolve(wireOf(socket)));
  socket.once("error", opened.reject);
  return opened.promise;
}

/** Sends one request and returns the whole answer; the request should ask for the end of the connection. */
export async function ask(address: Address, request: string): Promise<string> {
  const wire = await open(address);
  wire.send(request);
  return await wire.end();
}

/** A request as text: request line, `Host` and the end of the connection, and what else there is. */
export function request(line: string, headers: readonly string[] = [], body = ""): string {
  return [`${line} HTTP/1.1`, "Host: localhost", "Connection: close", ...headers, "", body].join("\r\n");
}

function wireOf(socket: Socket): Wire {
  let received = "";
  let ended = false;
  let wake = () => {};
  const timer = setTimeout(
    () => socket.destroy(new Error(`Waited too long, received: ${received}`)),
    PATIENCE_MS,
  );
  socket.setEncoding("latin1");
  socket.on("data", (text) => {
    received += text;
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    clearTimeout(timer);
    ended = true;
    wake();
  });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const change = () => new Promise<void>((resolve) => wake = resolve);
  return {
    send: (text) => void socket.write(text, "latin1"),
    async until(text) {
      while (!received.includes(text)) {
        if (ended) throw new Error(`Ended without ${JSON.stringify(text)}: ${received}`);
        await change();
      }
      return received;
    },
    async end() {
      while (!ended) await change();
      return received;
    },
    closed,
    hold: () => void socket.pause(),
    leave: () => void socket.destroy(),
  };
}
