/** Uses the control socket of a node through `node:net`. */
import { connect, type Socket } from "node:net";
import { joinBytes } from "../../src/bytes/bytes.ts";
import {
  type AskNode,
  type NodeObstacle,
  NodeSocketError,
  type SubscribeToNode,
} from "../../src/ports/node_socket.ts";

const LINE_FEED = 0x0a;

/** Error codes when no process listens at a path. */
const ABSENT = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);
/** Error codes of all runtimes when the socket may not be used, or when its path is too long. */
const DENIED = new Set(["EACCES", "EPERM", "EINVAL", "ENAMETOOLONG", "ERR_ACCESS_DENIED"]);

/**
 * Returns a function that sends requests to the node whose socket is at a path. Each request uses a new
 * connection.
 */
export function createAskNode(path: string): AskNode {
  return (line, { timeoutMs, limitBytes }) =>
    new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      let socket: Socket | undefined;
      const end = () => {
        clearTimeout(timer);
        socket?.destroy();
      };
      const fail = (obstacle: NodeObstacle, reason: string, cause?: unknown) => {
        end();
        reject(new NodeSocketError(obstacle, `${reason} (${path})`, { cause }));
      };
      const finish = () => {
        end();
        const text = decode(chunks);
        if (text === undefined) fail("broken", "The answer of the node is not text");
        else if (text === "") fail("broken", "The node closed the connection without an answer");
        else resolve(text);
      };
      const timer = setTimeout(() => fail("silent", "The node did not answer in time"), timeoutMs);
      try {
        socket = connect(path);
      } catch (error) {
        return fail(obstacleOf(error), "The socket of the node cannot be used", error);
      }
      socket.on("error", (error) => fail(obstacleOf(error), "Cannot send a command to the node", error));
      socket.on("end", finish);
      socket.on("close", finish);
      socket.on("data", (chunk) => {
        const bytes = chunk as Uint8Array; // Chunks are bytes, because no encoding is set.
        const at = bytes.indexOf(LINE_FEED);
        const part = at < 0 ? bytes : bytes.subarray(0, at);
        size += part.length;
        if (size > limitBytes) {
          return fail("broken", `The answer of the node has more than ${limitBytes} bytes`);
        }
        chunks.push(part);
        if (at >= 0) {
          finish();
        }
      });
      socket.on("connect", () => socket?.write(`${line}\n`));
    });
}

/**
 * Returns a function that receives events from the node whose socket is at a path. The connection does not
 * keep the process running.
 */
export function createSubscribeToNode(path: string): SubscribeToNode {
  return (line, { onOpen, onLine }, { limitBytes, signal }) =>
    new Promise((resolve, reject) => {
      let socket: Socket | undefined;
      const end = () => {
        signal.removeEventListener("abort", end);
        socket?.destroy();
        resolve();
      };
      const fail = (reason: string, error: unknown) => {
        reject(new NodeSocketError(obstacleOf(error), `${reason} (${path})`, { cause: error }));
        end();
      };
      const start = new Uint8Array(limitBytes);
      let length = 0;
      if (signal.aborted) return resolve();
      try {
        socket = connect(path);
      } catch (error) {
        return fail("The socket of the node cannot be used", error);
      }
      socket.unref();
      signal.addEventListener("abort", end);
      socket.on("error", (error) => fail("Cannot receive events from the node", error));
      socket.on("end", end);
      socket.on("close", end);
      socket.on("data", (chunk) => {
        const bytes = chunk as Uint8Array; // Chunks are bytes, because no encoding is set.
        for (let from = 0; from < bytes.length;) {
          const feed = bytes.indexOf(LINE_FEED, from);
          const part = bytes.subarray(from, feed < 0 ? bytes.length : feed).subarray(0, limitBytes - length);
          start.set(part, length);
          length += part.length;
          if (feed < 0) return;
          onLine(new TextDecoder().decode(start.subarray(0, length)));
          length = 0;
          from = feed + 1;
        }
      });
      socket.on("connect", () => {
        socket?.write(`${line}\n`);
        onOpen();
      });
    });
}

function decode(chunks: readonly Uint8Array[]): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(joinBytes(chunks));
  } catch {
    return undefined;
  }
}

function obstacleOf(error: unknown): NodeObstacle {
  if (!(error instanceof Error)) return "broken";
  const code = "code" in error ? String(error.code) : "";
  if (ABSENT.has(code)) return "absent";
  return DENIED.has(code) || error.name === "NotCapable" ? "denied" : "broken";
}
