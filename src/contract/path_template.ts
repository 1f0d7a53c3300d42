/** Paths of routes as OpenAPI writes them. */

/**
 * Converts a path to the notation of OpenAPI. Paths that differ only in a final slash share one description.
 */
export function toTemplate(path: string): string {
  const whole = path.endsWith("/:sha/") ? `${path}*path` : path === "/" ? path : path.replace(/\/$/, "");
  return whole.replace(/[:*](\w+)/g, "{$1}");
}
