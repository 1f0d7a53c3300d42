/** Finds the maximum number of file descriptors of this process. */
import { readFileSync } from "node:fs";
import { USUAL_DESCRIPTORS } from "../server/connections.ts";

/** The file in which Linux shows the limits of this process. */
export const LIMITS_FILE = "/proc/self/limits";

/**
 * Returns the maximum number of file descriptors of this process; {@link USUAL_DESCRIPTORS} when it is
 * unknown. Each runtime raises its limit as far as the system allows.
 */
export function descriptorLimit(): number {
  try {
    return parseDescriptorLimit(readFileSync(LIMITS_FILE, "utf8")) ?? USUAL_DESCRIPTORS;
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/**
 * Parses the current limit in the content of {@link LIMITS_FILE}. Returns `Infinity` for `unlimited`, and
 * `undefined` when the text contains no limit.
 */
export function parseDescriptorLimit(text: string): number | undefined {
  const [, limit] = /^Max open files +(\d+|unlimited)\b/m.exec(text) ?? [];
  if (limit === undefined) return undefined;
  return limit === "unlimited" ? Infinity : Number(limit);
}
