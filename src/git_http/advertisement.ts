/** The offer of git to clients, without what is not served, and with `HEAD` of a namespace. */
import { joinBytes } from "../bytes/bytes.ts";
import type { ResolvedRef } from "../git/references.ts";
import { contentOf, eachPktLine, endOfFrame, LENGTH_BYTES, pktFrame, pktLine } from "./pkt_line.ts";
import type { Task } from "../scheduling/task.ts";

/** Commands and capabilities that a request may have. Older releases of git offer `object-info`, too. */
const OFFERED = /^(?:version 2|(?:agent|ls-refs|fetch|server-option|object-format)(?:=.*)?)\n?$/s;

const encoder = new TextEncoder();

/**
 * The offer in version 2 (gitprotocol-v2, "Capability Advertisement") without commands and capabilities that
 * requests may not have.
 */
export async function offeredOf(advertisement: Uint8Array, task: Task): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  await eachPktLine(advertisement, task, (start, end) => {
    const line = contentOf(advertisement, start, end);
    if (line === undefined || OFFERED.test(line)) parts.push(advertisement.subarray(start, end));
  });
  return joinBytes(parts);
}

/**
 * The list of references in version 0 or 1 (gitprotocol-pack, "Reference Discovery") with `HEAD` before them.
 * The capabilities move there from the reference that was the first one.
 *
 * @param list Its start, with the first reference.
 */
export function withHead(list: Uint8Array, { name, oid }: ResolvedRef): Uint8Array<ArrayBuffer> {
  let start = 0, end = endOfFrame(list, start);
  if (contentOf(list, start, end) === "version 1\n") [start, end] = [end, endOfFrame(list, end)];
  const zero = list.indexOf(0, start);
  const first = list.subarray(start + LENGTH_BYTES, zero), capabilities = list.subarray(zero, end - 1);
  return joinBytes([
    list.subarray(0, start),
    pktFrame(encoder.encode(`${oid} HEAD`), capabilities, encoder.encode(` symref=HEAD:${name}\n`)),
    pktFrame(first, encoder.encode("\n")),
    list.subarray(end),
  ]);
}

/** The line of `HEAD` in a list of version 2 (gitprotocol-v2, "ls-refs"). */
export function headLine({ name, oid }: ResolvedRef, showsTarget: boolean): string {
  return pktLine(`${oid} HEAD${showsTarget ? ` symref-target:${name}` : ""}\n`);
}
