/** References that do not lead to an entry straight away. */
import type { Oid } from "../../../src/ids/oid.ts";
import type { GitRepository } from "../../support/git.ts";
import { type Desk, fillHome } from "./desk.ts";
import { firstDifference, statesByRad, statesByUs } from "./outcomes.ts";
import { systematicCases } from "./systematic.ts";

/** Lets a reference lead to an entry in one way or another, by what it is called. */
const WAYS: Readonly<Record<string, (git: GitRepository, name: string, entry: Oid) => void>> = {
  "a tag": (git, name, entry) => git.setRef(name, putTag(git, entry, "commit")),
  "a tag of a tag": (git, name, entry) => git.setRef(name, putTag(git, putTag(git, entry, "commit"), "tag")),
  "a symbolic reference": (git, name, entry) => {
    git.setRef("refs/heads/somewhere", entry);
    git.setSymbolicRef(name, "refs/heads/somewhere");
  },
  "the namespace of nobody": (git, name, entry) => git.setRef(name.replace(/z6Mk\w+/, "somebody"), entry),
  "a draft": (git, name, entry) => git.setRef(name.replace("/cobs/", "/drafts/cobs/"), entry),
};
/** Whose reference it is: a key that has none else. */
const KEY = 9;

/** Has objects evaluated of which the last entry is to be reached in these ways only; the outcome is a line for each that differs. */
export async function compareReferences(desk: Desk): Promise<string[]> {
  const [sample] = systematicCases().filter(({ oddity }) => oddity === "json blanks");
  const last = sample!.plan.entries.length - 1;
  const plans = Object.keys(WAYS).map((_, nonce) => ({ ...sample!.plan, nonce, unreferenced: [last] }));
  const { rad, git, around, objects } = fillHome(desk, plans);
  const ways = Object.entries(WAYS);
  for (const [i, { plan, id, entries }] of objects.entries()) {
    const name = `refs/namespaces/${around.keys[KEY]!.nid}/refs/cobs/xyz.radicle.${plan.kind}/${id}`;
    ways[i]![1](git, name, entries[last]!);
  }
  const theirs = statesByRad(rad, desk.rid);
  const ours = await statesByUs(desk.generation, rad.home, desk.rid, objects);
  return objects.flatMap(({ id }, i) => {
    const difference = firstDifference(ours.get(id), theirs.get(id));
    return difference === undefined ? [] : [`${ways[i]![0]}: ${difference}`];
  });
}

function putTag(git: GitRepository, oid: Oid, kind: string): Oid {
  return git.put("tag", `object ${oid}\ntype ${kind}\ntag x\ntagger someone <a@b> 1700000000 +0000\n\nTag\n`);
}
