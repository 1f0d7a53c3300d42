/** Issues and patches as `radicle-httpd` 0.10.0 shows them, in the form of ours. */

/**
 * An answer on an issue or a patch, 0.10.0's or ours, without what is known to differ: assignees and authors of reactions are objects there, and
 * reactions to no place in particular have no `location`.
 */
export function comparableCob(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(comparableCob);
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).filter(([name, value]) => name !== "location" || value !== null).map((
      [name, value],
    ) => [
      name,
      name === "assignees"
        ? idsOf(value)
        : name === "authors"
        ? idsOf(value).map((id) => id.replace(/^did:key:/, ""))
        : comparableCob(value),
    ]),
  );
}

function idsOf(nodes: readonly (string | { readonly id: string })[]): string[] {
  return nodes.map((node) => typeof node === "string" ? node : node.id);
}
