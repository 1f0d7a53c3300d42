/** A peer who signs as no program does: with points of small order, and with a key that nobody holds. */
import { hashObject } from "../../src/git/encode.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { formatNid } from "../../src/ids/nid.ts";
import type { GitObject } from "../../src/ports/storage.ts";
import { putEntry, type Writer } from "../cob/entries.ts";
import type { Random } from "../cob/random.ts";
import { encodingsOf, signMixed, TORSION } from "../support/crafted_signatures.ts";
import { createWriter } from "../cob/entries.ts";
import { openRepository } from "./judged_sigrefs.ts";
import type { WrittenProject } from "./written_project.ts";

const SEED = new Uint8Array(32).fill(0x77);
const MALLORY = createWriter(SEED);
/** The key is the identity, which verifies R = identity and S = 0 for every message where it is accepted. */
const [NO_KEY] = encodingsOf(TORSION.at(-1)!);
const NOBODY: Writer = {
  nid: formatNid(NO_KEY!),
  publicKey: NO_KEY!,
  sign: () => Uint8Array.from([...NO_KEY!, ...new Uint8Array(32)]),
};

/** The objects that the peer has commented on, with its last entry of each. */
export type CraftedTips = Map<string, Oid>;

/**
 * Puts a comment, or a reaction to the object, with a random signature into its namespace in the homes of all
 * others, as if they had fetched it; returns the id of the entry.
 */
export async function craftComment(
  projects: readonly WrittenProject[],
  { kind, id }: { readonly kind: "issue" | "patch"; readonly id: Oid },
  tips: CraftedTips,
  random: Random,
  timeSeconds: number,
): Promise<Oid> {
  const point = random.pick(TORSION);
  const writer = random.below(4) === 0
    ? NOBODY
    : { ...MALLORY, sign: (message: Uint8Array) => signMixed(SEED, message, point).signature };
  const body = `crafted ${random.below(100)}`;
  const last = tips.get(id);
  let entry: Oid | undefined;
  for (const { rad, rid } of projects) {
    const repository = openRepository(rad.home, rid);
    const objects: GitObject[] = [];
    const put = (kind: GitObject["kind"], bytes: Uint8Array) => {
      objects.push({ kind, bytes });
      return hashObject(kind, bytes);
    };
    entry = putEntry({ put }, {
      writer,
      type: `xyz.radicle.${kind}`,
      actions: [
        kind === "issue"
          ? { type: "comment", body, replyTo: id }
          : { type: "revision.comment", revision: id, body },
      ],
      parents: [last ?? id],
      resource: (await repository.ref("refs/rad/id"))!.oid,
      timeSeconds,
    });
    await repository.updateRef(`refs/namespaces/${MALLORY.nid}/refs/cobs/xyz.radicle.${kind}/${id}`, {
      from: last,
      to: entry,
      objects,
    });
  }
  tips.set(id, entry!);
  return entry!;
}
