/** The offer of git to clients of version 2 (gitprotocol-v2, "Capability Advertisement"). */
import { joinBytes } from "../bytes/join.ts";
import { contentOf, eachPktLine } from "./pkt_line.ts";

/** Commands and capabilities that a request may have. Older releases of git offer `object-info`, too. */
const OFFERED = /^(?:version 2|(?:agent|ls-refs|fetch|server-option|object-format)(?:=.*)?)\n?$/s;

/** The same advertisement without commands and capabilities that requests may not have. */
export async function offeredOf(advertisement: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  await eachPktLine(advertisement, (start, end) => {
    const line = contentOf(advertisement, start, end);
    if (line === undefined || OFFERED.test(line)) parts.push(advertisement.subarray(start, end));
  });
  return joinBytes(parts);
}
