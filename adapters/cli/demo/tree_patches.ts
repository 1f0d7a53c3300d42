/** The patches of the demo's main project. */
import type { Oid } from "../../../src/ids/oid.ts";
import type { Changes, Snapshot } from "./history.ts";
import type { Member } from "./member.ts";
import type { Project } from "./project.ts";
import { FILES, replaced } from "./tree_files.ts";
import { LEAF } from "./tree_history.ts";

const SPELT = replaced(LEAF, ["clorophyl", "chlorophyll"]);

const COUNTED = `${LEAF}
/** Number of leaves of a crown; nobody has ever checked. */
export function count(crownMetres: number): number {
  return crownMetres * 1000;
}
`;

/** A patch, and what its branch is now. */
interface Proposal {
  readonly id: Oid;
  readonly head: Snapshot;
}

/** Proposes, reviews, merges; `main` is the default branch as it was before. */
export async function proposePatches(
  project: Project,
  bob: Member,
  zoe: Member,
  main: Snapshot,
): Promise<void> {
  const { rid, repository, history, clock, owner: alice } = project;

  const change = (who: Member, { id }: Proposal, action: object) => {
    clock.later(1);
    return who.change(rid, "patches", id, action);
  };
  const propose = async (
    who: Member,
    [title, description]: readonly [string, string],
    changes: Changes,
  ): Promise<Proposal> => {
    clock.later(30);
    const head = history.commit(who.author, main, title, changes);
    await history.write(repository);
    clock.later(1);
    const id = await who.open(rid, "patches", {
      title,
      description,
      target: main.oid,
      oid: head.oid,
      labels: [],
    });
    await who.publish(repository, { [`refs/heads/patches/${id}`]: head.oid });
    return { id, head };
  };
  const revise = async (who: Member, { id, head }: Proposal, description: string, changes: Changes) => {
    clock.later(20);
    const next = { id, head: history.commit(who.author, head, description, changes) };
    await history.write(repository);
    const revision = { type: "revision", description, base: main.oid, oid: next.head.oid };
    const revisionId = await change(who, next, revision);
    await who.publish(repository, { [`refs/heads/patches/${id}`]: next.head.oid });
    return { ...next, revisionId };
  };
  const merge = async ({ id, head }: Proposal, title: string) => {
    clock.later(20);
    const merged = history.merge(alice.author, main, head, main, `Merge patch: ${title}`);
    await project.push(merged);
    await change(alice, { id, head }, { type: "merge", revision: id, commit: merged.oid });
    return merged;
  };
  const review = (who: Member, proposal: Proposal, revision: Oid, verdict: string, summary: string) =>
    change(who, proposal, { type: "review", revision, verdict, summary });
  const comment = (who: Member, proposal: Proposal, body: string, more: object = {}) =>
    change(who, proposal, { type: "revision.comment", revision: proposal.id, body, ...more });
  const lines = ({ head }: Proposal, path: string, start: number, end: number) => ({
    location: { commit: head.oid, path, old: null, new: { type: "lines", range: { start, end } } },
  });

  const guide = await propose(
    zoe,
    ["Auf Deutsch: die Anleitung", "The guide in German; the table is left out, as the trees differ."],
    { "docs/de/anleitung.md": FILES["docs/de/anleitung.md"] },
  );
  await review(alice, guide, guide.id, "accept", "Danke!");
  await change(alice, guide, { type: "revision.react", revision: guide.id, reaction: "🎉", active: true });
  main = await merge(guide, "Auf Deutsch: die Anleitung");

  const can = await propose(bob, ["Water the trees", "Adds a watering can and uses it once a day."], {
    "src/garden/can.ts": FILES["src/garden/can.ts"],
  });
  const question = await comment(zoe, can, "How large is the can?");
  await comment(bob, can, "Ten litres, as the comment says.", { replyTo: question });
  const doubt = await review(alice, can, can.id, "reject", "Nearly! See below.");
  const remark = await change(alice, can, {
    type: "review.comment",
    review: doubt,
    body: "Please tell the caller how much was poured: an empty can waters nothing.",
    ...lines(can, "src/garden/can.ts", 6, 9),
  });
  await change(bob, can, { type: "review.comment", review: doubt, body: "Done.", reply_to: remark });
  const better = await revise(bob, can, "Say how much was poured", {
    "src/garden/can.ts": FILES["src/garden/can.ts#poured"],
  });
  await change(bob, can, { type: "review.comment.resolve", review: doubt, comment: remark });
  await review(alice, better, better.revisionId, "accept", "Works in my garden.");
  await change(alice, can, { type: "label", labels: ["feature"] });

  const winter = await propose(bob, ["Sleep in winter", "Not finished: spring has to wake it up again."], {
    "src/forest/winter.ts":
      "/** Trees sleep from December to February. */\nexport const SLEEPING = [12, 1, 2];\n",
  });
  await change(bob, winter, { type: "lifecycle", state: { status: "draft" } });
  await comment(alice, winter, "Take your time, it is June.");

  const plastic = await propose(bob, ["Offer plastic trees", "They need no water at all."], {
    "src/plastic.ts": "export const NEEDS_WATER = false;\n",
  });
  const shop = await revise(bob, plastic, "Sell them, too", {
    "src/shop.ts": "export const PRICE_CENTS = 999;\n",
  });
  await review(alice, shop, shop.revisionId, "reject", "They do not grow.");
  await change(alice, plastic, { type: "lifecycle", state: { status: "archived" } });

  const count = await propose(zoe, ["Count the leaves", "A thousand to the metre, more or less."], {
    "src/leaf.ts": COUNTED,
  });
  await comment(bob, count, "Who counts them in autumn?", lines(count, "src/leaf.ts", 9, 13));
  await change(bob, count, {
    type: "revision.react",
    revision: count.id,
    reaction: "👀",
    active: true,
    ...lines(count, "src/leaf.ts", 11, 12),
  });

  const spelling = await propose(alice, ["Spell chlorophyll", "An h after the c, and two l at the end."], {
    "src/leaf.ts": SPELT,
  });
  await merge(spelling, "Spell chlorophyll");
  const sigh = await comment(bob, spelling, "I never get this one right.");
  await change(zoe, spelling, {
    type: "revision.comment.react",
    revision: spelling.id,
    comment: sigh,
    reaction: "😀",
    active: true,
  });
}
