/** The number of file descriptors that this process may have. */
import { readFileSync } from "node:fs";
import { USUAL_DESCRIPTORS } from "../server/connections.ts";

/** The file in which Linux tells the limit. */
export const LIMITS_FILE = "/proc/self/limits";

/**
 * Descriptors that this process may have at a time; {@link USUAL_DESCRIPTORS} when that cannot be told. The
 * runtimes raise their own limit as far as the system lets them.
 */
export function descriptorLimit(): number {
  try {
    return parseDescriptorLimit(readFileSync(LIMITS_FILE, "utf8")) ?? USUAL_DESCRIPTORS;
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/** The limit that holds in a text such as {@link LIMITS_FILE}; `undefined` when there is none. */
export function parseDescriptorLimit(text: string): number | undefined {
  const [, limit] = /^Max open files +(\d+|unlimited)\b/m.exec(text) ?? [];
  if (limit === undefined) return undefined;
  return limit === "unlimited" ? Infinity : Number(limit);
}
