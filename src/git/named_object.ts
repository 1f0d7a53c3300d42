/** Objects by the names that git gives them: ids, `HEAD`, branches, tags and other references. */
import { hasDigitsOnly } from "../ids/commitish.ts";
import { type Oid, parseOid } from "../ids/oid.ts";
import { tryParseNid } from "../ids/nid.ts";
import { isRefname } from "../ids/refname.ts";
import type { Repository } from "../ports/storage.ts";
import { resolveRef } from "./references.ts";

/** Digits of an object id at most; more stand for nothing. */
const MAX_DIGITS = 40;

/**
 * The object that a name stands for, in the order of `git rev-parse`: `HEAD`, a full name, then below
 * `refs/`, `refs/tags/`, `refs/heads/` and `refs/remotes/`; last, `<nid>/<branch>` of a node's namespace.
 *
 * @param isShown Whether a reference may be found, by its full name; so must be the one to which a symbolic
 *   reference leads.
 * @returns `undefined` when there is no such reference; the object itself may be missing.
 */
export async function findNamedObject(
  repository: Repository,
  name: string,
  isShown: (ref: string) => boolean = () => true,
): Promise<Oid | undefined> {
  if (hasDigitsOnly(name)) return name.length <= MAX_DIGITS ? parseOid(name) : undefined;
  if (!isRefname(name)) return undefined;
  for (const ref of candidates(name)) {
    if (!isShown(ref)) continue;
    const found = await resolveRef(repository, ref);
    if (found !== undefined && isShown(found.name)) return found.oid;
  }
  return undefined;
}

function candidates(name: string): readonly string[] {
  const [first = "", ...rest] = name.split("/");
  const nid = rest.length > 0 ? tryParseNid(first) : undefined;
  return [
    ...(name === "HEAD" || name.startsWith("refs/") ? [name] : []),
    ...["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map((folder) => folder + name),
    ...(nid === undefined ? [] : [`refs/namespaces/${nid}/refs/heads/${rest.join("/")}`]),
  ];
}
