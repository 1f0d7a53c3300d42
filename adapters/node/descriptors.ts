/** The limit of file descriptors of this process. */
import { readFileSync } from "node:fs";
import { USUAL_DESCRIPTORS } from "../server/connections.ts";

/** The file in which Linux shows the limit. */
export const LIMITS_FILE = "/proc/self/limits";

/**
 * Returns how many file descriptors this process may have at the same time; {@link USUAL_DESCRIPTORS} when
 * that is unknown. The runtimes themselves raise their limit as far as the system allows.
 */
export function descriptorLimit(): number {
  try {
    return parseDescriptorLimit(readFileSync(LIMITS_FILE, "utf8")) ?? USUAL_DESCRIPTORS;
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/** Reads the current limit from a text such as {@link LIMITS_FILE}; `undefined` when there is no limit. */
export function parseDescriptorLimit(text: string): number | undefined {
  const [, limit] = /^Max open files +(\d+|unlimited)\b/m.exec(text) ?? [];
  if (limit === undefined) return undefined;
  return limit === "unlimited" ? Infinity : Number(limit);
}
