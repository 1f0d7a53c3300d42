/** A server that answers requests of a comparison with whatever bytes a test wants, and remembers what it was asked. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** Answers a request by writing to its socket. */
export type Behaviour = (path: string, socket: Socket) => void;

export interface HostileService {
  readonly url: string;
  /** The first lines of the requests. */
  readonly asked: readonly string[];
  /** Bytes that were handed to connections. */
  sentBytes(): number;
  close(): Promise<void>;
}

/** Starts a server on a free port. Each connection has one request. */
export async function startHostileService(behave: Behaviour): Promise<HostileService> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let sent = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    let head = "";
    socket.on("error", () => {});
    socket.on("close", () => {
      sent += socket.bytesWritten;
      sockets.delete(socket);
    });
    socket.on("data", (bytes) => {
      head += bytes.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      const line = head.slice(0, head.indexOf("\r\n"));
      head = "";
      asked.push(line);
      behave(line.split(" ")[1] ?? "", socket);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    sentBytes: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, sent),
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Sends a whole answer, and closes. */
export function answer(socket: Socket, body: string | Uint8Array, head = "", status = "200 OK"): void {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  socket.write(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n` +
      `connection: close\r\n${head}\r\n`,
  );
  socket.end(bytes);
}

/** Sends bytes in chunks for as long as somebody reads. */
export function flood(socket: Socket, chunk: Uint8Array): void {
  const more = () => {
    while (!socket.destroyed) {
      socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      if (!socket.write("\r\n")) return void socket.once("drain", more);
    }
  };
  more();
}
