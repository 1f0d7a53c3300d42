/** Paths and components of an OpenAPI document, for its generator and for the service that serves it. */

/**
 * Converts a path to the notation of OpenAPI. Paths that differ only in a final slash share one description.
 */
export function toTemplate(path: string): string {
  const whole = path.endsWith("/:sha/") ? `${path}*path` : path === "/" ? path : path.replace(/\/$/, "");
  return whole.replace(/[:*](\w+)/g, "{$1}");
}

/** The components of a document, by kind and name. */
type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The components that paths refer to, directly or through other components. */
export function usedComponents(
  components: Components,
  paths: object,
): Record<string, Record<string, unknown>> {
  const used = new Set<string>();
  const parts: unknown[] = Object.values(paths);
  for (const part of parts) {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      parts.push(components[kind!]![name!]);
    }
  }
  return Object.fromEntries(
    Object.entries(components).map(([kind, named]) => [
      kind,
      Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${kind}/${name}`))),
    ]),
  );
}
