/** Objects that a client asks `git upload-pack` for. */
import { TimeSlices } from "../async/time_slices.ts";
import { ApiError } from "../errors.ts";
import { isOid, type Oid } from "../ids/oid.ts";
import { readPktLines } from "./pkt_line.ts";

/** Frames that are read in one go: below a millisecond. */
const LINES_AT_ONCE = 2048;

/** Start of the line that names the command of a request in version 2. */
const COMMAND = "command=";
/** Commands that are offered. Others tell of any object by its id: `object-info` its size. */
const OFFERED = new Set(["ls-refs", "fetch"]);

/**
 * Ids in the `want` lines of a request, in every version of the protocol, each once.
 *
 * @throws {ApiError} `badRequest` when the body is not in git's protocol, or a line names no object;
 * `forbidden` for a command that is not offered.
 */
export async function wantedObjects(body: Uint8Array): Promise<ReadonlySet<Oid>> {
  const slices = new TimeSlices();
  const wanted = new Set<Oid>();
  let count = 0;
  for (const line of readPktLines(body)) {
    if (++count % LINES_AT_ONCE === 0) await slices.next();
    if (line.startsWith(COMMAND)) requireOffered(line.slice(COMMAND.length).trimEnd());
    if (!line.startsWith("want")) continue;
    const oid = line.slice("want ".length, "want ".length + 40).toLowerCase();
    if (line[4] !== " " || !isOid(oid)) throw new ApiError("badRequest", "Request body wants no object id");
    wanted.add(oid);
  }
  return wanted;
}

function requireOffered(command: string): void {
  if (OFFERED.has(command)) return;
  throw new ApiError("forbidden", `Command "${command}" is not offered: expected ls-refs or fetch`);
}
