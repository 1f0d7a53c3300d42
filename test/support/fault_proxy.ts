/**
 * A proxy between a client and an S3 server. A test chooses its faults: errors, cut bodies, silence, delays,
 * wrong ranges, damaged bytes, missing objects. It changes no field of a request, because the fields are
 * signed.
 */
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One fault. */
export type Fault =
  /** Answers with a status, without the server. */
  | { readonly kind: "status"; readonly status: number; readonly code?: string }
  /**
   * Closes the connection before the answer or after some bytes of its body. The server has done its work.
   */
  | { readonly kind: "cut"; readonly afterBytes?: number }
  /** Never answers, or stops after some bytes of the body. */
  | { readonly kind: "silence"; readonly afterBytes?: number }
  /** Answers when the promise resolves, or after some milliseconds. */
  | { readonly kind: "delay"; readonly until: Promise<unknown> | number }
  /** Answers to a range with the whole object, status 200. */
  | { readonly kind: "whole" }
  /** Answers a range with the bytes before or after it, as if they were the range. */
  | { readonly kind: "shifted"; readonly by: number }
  /** Answers with a wrong length of the whole object. */
  | { readonly kind: "other-size"; readonly size: number }
  /** Leaves out the last bytes. Only `Content-Length` shows it. */
  | { readonly kind: "short"; readonly bytes: number }
  /** Flips a bit of the byte at a position. */
  | { readonly kind: "damaged"; readonly at: number };

/** A request for which a fault is chosen. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The field `Range`, if any. */
  readonly range: string | undefined;
  /** Number of the request, from 0. */
  readonly index: number;
}

/** Chooses the fault of a request; `undefined` for none. */
export type ChooseFault = (request: ProxiedRequest) => Fault | undefined;

/** A running proxy. */
export interface FaultProxy {
  /** Base URL without a final slash. */
  readonly url: string;
  /** Requests so far, in order. A test may empty the list. */
  readonly requests: ProxiedRequest[];
  /** The faults from now on. */
  fault: ChooseFault | undefined;
  /** Closes all connections and stops listening, as if the server were down. */
  leave(): Promise<void>;
  /** Listens again on the same port. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy in front of a server. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const held = new Set<ServerResponse>();
  let index = 0;
  const server = createServer((incoming, response) => {
    held.add(response);
    response.on("close", () => held.delete(response)).on("error", () => {});
    const proxied = {
      method: incoming.method!,
      path: incoming.url!,
      range: incoming.headers.range,
      index: index++,
    };
    proxy.requests.push(proxied);
    answer(incoming, response, proxy.fault?.(proxied)).catch(() => incoming.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const leave = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const { socket } of held) socket?.destroy();
    server.closeAllConnections();
    await closed;
  };
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    fault: undefined,
    leave,
    comeBack: async () => {
      await once(server.listen(port, "127.0.0.1"), "listening");
    },
    close: async () => {
      await leave();
      agent.destroy();
    },
  };
  return proxy;

  async function answer(incoming: IncomingMessage, response: ServerResponse, fault: Fault | undefined) {
    const body = await bytesOf(incoming);
    if (fault?.kind === "status") {
      const code = fault.code ?? "InternalError";
      response.writeHead(fault.status, { "content-type": "application/xml" })
        .end(incoming.method === "HEAD" ? undefined : `<Error><Code>${code}</Code></Error>`);
      return;
    }
    if (fault?.kind === "silence" && fault.afterBytes === undefined) return;
    if (fault?.kind === "delay") {
      await (typeof fault.until === "number"
        ? new Promise((resolve) => setTimeout(resolve, fault.until as number))
        : fault.until);
    }
    const { status, headers, bytes } = await ask(incoming, body, fault);
    if (fault?.kind === "cut" && fault.afterBytes === undefined) {
      incoming.socket.destroy();
      return;
    }
    response.writeHead(status, headers);
    if (incoming.method === "HEAD" || bytes.length === 0) response.end();
    else if (fault?.kind === "cut") {
      response.write(bytes.subarray(0, fault.afterBytes), () => incoming.socket.destroy());
    } else if (fault?.kind === "silence") response.write(bytes.subarray(0, fault.afterBytes));
    else response.end(bytes);
  }

  /** Sends the request to the server, and falsifies its answer. */
  async function ask(incoming: IncomingMessage, body: Uint8Array, fault: Fault | undefined) {
    const fields = { ...incoming.headers };
    const [first, last] = (/^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range ?? "") ?? []).slice(1).map(
      Number,
    );
    const isRange = first !== undefined && last !== undefined;
    // The field is not signed.
    if (fault?.kind === "whole") delete fields.range;
    if (fault?.kind === "shifted" && isRange) fields.range = `bytes=${first + fault.by}-${last + fault.by}`;
    const sent = request(`${target}${incoming.url}`, { method: incoming.method!, headers: fields, agent });
    sent.end(body);
    const [answered] = await once(sent, "response") as [IncomingMessage];
    const headers = { ...answered.headers } as Record<string, string>;
    delete headers["transfer-encoding"];
    let bytes = await bytesOf(answered);
    if (fault?.kind === "shifted" && isRange) {
      headers["content-range"] = headers["content-range"]!.replace(
        /^bytes \d+-\d+/,
        `bytes ${first}-${last}`,
      );
    }
    if (fault?.kind === "other-size") {
      headers["content-range"] = headers["content-range"]?.replace(/\d+$/, String(fault.size)) ?? "";
    }
    if (fault?.kind === "short") {
      bytes = bytes.subarray(0, bytes.length - fault.bytes);
      headers["content-length"] = String(bytes.length);
    }
    if (fault?.kind === "damaged" && fault.at < bytes.length) bytes[fault.at]! ^= 1;
    return { status: answered.statusCode!, headers, bytes };
  }
}

async function bytesOf(message: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of message) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
