/**
 * Aliases of the node itself in answers that are compared with `radicle-httpd`. It finds aliases only in the
 * databases of the node, and these have none if the node never ran. Our service also uses the configuration
 * (2.9).
 */

/** Our answer without the aliases of the node itself that the other answer lacks. */
export function withoutOwnAlias(ours: unknown, theirs: unknown, nodeId: string): unknown {
  const own = new Set<unknown>([nodeId, `did:key:${nodeId}`]);
  return strip(ours, theirs);

  function strip(value: unknown, counterpart: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const other = (counterpart ?? {}) as Readonly<Record<string, unknown>>;
    if (Array.isArray(value)) return value.map((item, i) => strip(item, other[i]));
    const members = value as Readonly<Record<string, unknown>>;
    const isAdded = own.has(members["id"]) && !("alias" in other);
    return Object.fromEntries(
      Object.entries(members)
        .filter(([name]) => !isAdded || name !== "alias")
        .map(([name, member]) => [name, strip(member, other[name])]),
    );
  }
}

/** The id of the node of a running service. */
export async function nodeIdOf(url: string): Promise<string> {
  return (await (await fetch(`${url}/api/v1`)).json()).nid;
}
