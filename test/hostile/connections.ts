/** Clients that open connections and leave them open. */
import { connect, type Socket } from "node:net";
import type { Address } from "../../adapters/server/address.ts";

/** Open connections of one client. */
export interface Held {
  /** Closes the connections that the server has not closed. */
  leave(): void;
}

/**
 * Opens connections, and sends `text` on each of them: nothing by default, half a request, or a request whose
 * answer is never read.
 */
export async function openIdle(address: Address, count: number, text = ""): Promise<Held> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = address.transport === "unix"
      ? connect(address.path)
      : connect(address.port, address.hostname);
    socket.pause();
    socket.on("error", () => {});
    const settled = Promise.withResolvers<void>();
    for (const event of ["connect", "close"]) socket.once(event, () => settled.resolve());
    await settled.promise;
    if (text !== "") socket.write(text);
    sockets.push(socket);
  }
  return { leave: () => sockets.forEach((socket) => socket.destroy()) };
}
