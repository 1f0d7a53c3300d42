/** A conversation over a socket. */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Conversation, markOf } from "./conversation.ts";

/** Silence after some answer, and before any, after which the client says that it sends no more. */
const [QUIET_MS, SILENCE_MS] = [60, 400];
/** After that, a connection that stays open for this time hangs, in milliseconds. */
export const HANG_MS = 20_000;
/** Pause between two pieces, in milliseconds. */
const PIECE_MS = 2;
/** An answer that lasts until the client leaves. */
const LASTING = /\r\ncontent-type: text\/event-stream\r\n/i;
/** Bytes of answers after which the client leaves. */
const MAX_HEARD_BYTES = 2 ** 20;

/** What a client hears until the connection has ended. */
export interface Heard {
  readonly text: string;
  /**
   * The service ended the connection; it did so before it had read all, by which answers on their way may be
   * lost (RFC 9112, 9.6); the client ended it, since it had heard enough; or nobody did.
   */
  readonly end: "closed" | "reset" | "left" | "hangs";
  /** Time at which it began, and its duration, in milliseconds. */
  readonly startMs: number;
  readonly ms: number;
}

/** Sends a conversation to a port of this machine. Never rejects. */
export async function converse(port: number, conversation: Conversation): Promise<Heard> {
  const { pieces, ending, number, led } = conversation;
  const startMs = Date.now();
  const began = performance.now();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.setNoDelay(true).setEncoding("latin1");
  const first = led === 0 ? "HTTP/1." : markOf(number) + String(led - 1).padStart(2, "0");
  const last = `${markOf(number)}99`;
  let text = "";
  let end: Heard["end"] = "closed";
  let quiet: NodeJS.Timeout | undefined;
  let hang: NodeJS.Timeout | undefined;
  const leave = (how: Heard["end"]) => {
    end = how;
    socket.destroy();
  };
  const sayEnd = () => {
    if (hang !== undefined || socket.destroyed) return;
    socket.end();
    hang = setTimeout(leave, HANG_MS, "hangs");
  };
  const wait = () => {
    clearTimeout(quiet);
    quiet = setTimeout(sayEnd, text.includes(first) ? QUIET_MS : led === 0 ? SILENCE_MS : HANG_MS);
  };
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => end = "reset");
  socket.on("end", () => socket.destroy());
  socket.on("data", (part) => {
    text += part;
    const isLasting = LASTING.test(text);
    if (text.length > MAX_HEARD_BYTES || text.includes(last) || isLasting) leave("left");
    else if (hang === undefined) wait();
  });
  for (const piece of pieces) {
    if (piece !== pieces[0]) await pause(PIECE_MS);
    if (!socket.destroyed) socket.write(piece, "latin1");
  }
  if (ending === "reset") {
    await pause(PIECE_MS);
    end = "left";
    if (!socket.destroyed) socket.resetAndDestroy();
  } else if (ending === "half-closed") sayEnd();
  else if (!socket.destroyed) wait();
  await ended;
  clearTimeout(quiet);
  clearTimeout(hang);
  return { text, end, startMs, ms: performance.now() - began };
}
