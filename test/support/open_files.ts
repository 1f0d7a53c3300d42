/** The files, pipes and sockets that this process has open, from `/proc` on Linux. */
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const DESCRIPTORS = "/proc/self/fd";

/** Whether the system lists them. */
export const TELLS_OPEN_FILES: boolean = existsSync(DESCRIPTORS);

/** Their paths, or names such as `pipe:[1234]`. Empty if the system does not list them. */
export function openFiles(): string[] {
  if (!TELLS_OPEN_FILES) return [];
  return readdirSync(DESCRIPTORS).flatMap((name) => {
    try {
      return [readlinkSync(join(DESCRIPTORS, name))];
    } catch {
      // The descriptor of the listing itself.
      return [];
    }
  });
}
