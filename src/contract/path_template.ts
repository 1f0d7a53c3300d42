/** Paths of routes as OpenAPI writes them. */

/** A path as OpenAPI writes it. One that differs in a slash at its end is described with the other one. */
export function toTemplate(path: string): string {
  const whole = path.endsWith("/:sha/") ? `${path}*path` : path === "/" ? path : path.replace(/\/$/, "");
  return whole.replace(/[:*](\w+)/g, "{$1}");
}
