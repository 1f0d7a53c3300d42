/** Requests on their way to bytes. Each character of a text is a byte (Latin-1). */
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import type { Random } from "./random.ts";

/** A request, which need not be a good one. */
export interface Draft {
  method: string;
  target: string;
  version: string;
  /** Lines of the head after the first one. */
  lines: string[];
  body: string;
  /** The way in which the request says where its body ends. */
  framing: Framing;
}

/** By its length, in chunks, with chunks of odd forms, by a wrong length, or not at all. */
export type Framing = "none" | "length" | "chunks" | "odd chunks" | "short" | "long";

const FRAMINGS: readonly Framing[] = ["length", "length", "chunks", "odd chunks", "short", "long", "none"];

/** Text of UTF-8 as bytes. */
export function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Compressed bytes. */
export function gzipped(body: string): string {
  return gzipSync(Buffer.from(body, "latin1")).toString("latin1");
}

/** Any framing. */
export function anyFraming(random: Random): Framing {
  return random.one(FRAMINGS);
}

/**
 * The bytes of a request.
 *
 * @param mark Takes the place of `MARK` everywhere.
 */
export function bytesOf(draft: Draft, mark: string, random: Random, lineEnd = "\r\n"): string {
  const { method, target, version, lines, body, framing } = draft;
  const first = [method, target, version].filter((part) => part !== "").join(" ");
  const [framingLines, framed] = frame(body.replaceAll("MARK", mark), framing, random);
  const head = [first, ...lines, ...framingLines].join(lineEnd).replaceAll("MARK", mark);
  return `${head}${lineEnd}${lineEnd}${framed}`;
}

function frame(body: string, framing: Framing, random: Random): [lines: readonly string[], body: string] {
  switch (framing) {
    case "none":
      return [[], body];
    case "length":
      return [[`Content-Length: ${body.length}`], body];
    case "short":
      return [[`Content-Length: ${random.below(body.length + 1)}`], body];
    case "long":
      return [[`Content-Length: ${body.length + 1 + random.below(100)}`], body];
    case "chunks":
      return [["Transfer-Encoding: chunked"], `${chunksOf(body, random)}0\r\n\r\n`];
    case "odd chunks":
      return [["Transfer-Encoding: chunked"], oddChunksOf(body, random)];
  }
}

function chunksOf(body: string, random: Random): string {
  let text = "";
  for (let at = 0; at < body.length;) {
    const chunk = body.slice(at, at + 1 + random.below(body.length));
    text += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return text;
}

/** Chunks with extensions, trailers, odd lengths, or without an end. */
function oddChunksOf(body: string, random: Random): string {
  const start = chunksOf(body, random);
  return random.one([
    `${start}0;${"extension".repeat(3000)}\r\n\r\n`,
    `${start}0;a="\0"\r\n\r\n`,
    `${start}0\r\nTrailer: a\r\nHost: b\r\nContent-Length: 7\r\n\r\n`,
    `${start}0\r\n${"T: a\r\n".repeat(3000)}\r\n`,
    `${start}ffffffffffffffff\r\nhello`,
    `${start}-1\r\nhello\r\n`,
    `${start}0x5\r\nhello\r\n0\r\n\r\n`,
    `${start}5\nhello\n0\n\n`,
    `${start}5\r\nhello!\r\n0\r\n\r\n`,
    `${start}00000000000000000000000000000005\r\nhello\r\n0\r\n\r\n`,
    `${start}5 \r\nhello\r\n0\r\n\r\n`,
    `${start}\r\n`,
    start,
  ]);
}

/** Damages bytes: cut off, changed, removed, added or repeated at a random place. */
export function damaged(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const byte = String.fromCharCode(random.below(256));
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + byte + text.slice(at + 1);
    case 2:
      return text.slice(0, at) + byte + text.slice(at);
    case 3:
      return text.slice(0, at) + text.slice(at + 1 + random.below(20));
    default:
      return text.slice(0, at) + text.slice(Math.max(0, at - random.below(40)));
  }
}
