/** Random plans of objects, the same for the same seed. */
import { createRandom, type Random } from "../../cob/random.ts";
import { issueAction, type Named, openingActions, patchAction } from "./actions.ts";
import type { Features } from "./features.ts";
import { ODD_JSON } from "./odd_json.ts";
import { findOddity, TYPO_NAMES } from "./oddities.ts";
import { type EntryPlan, type ObjectPlan, openEnds, type RowKind } from "./plans.ts";

/** Entries of an object at most. */
const MAX_ENTRIES = 14;
/** One of so many objects has up to so many times more. */
const LONG = { share: 25, factor: 6 };
/** Keys that write; others only hold references. */
const WRITERS = 4;
const COMMITS = 6;
const START_SECONDS = 1_700_000_000;

/** A random object. Seeds of neighbouring objects may be neighbours. */
export function randomObject(seed: number, features: Features): ObjectPlan {
  const random = createRandom(seed * 7919 + 17);
  for (let i = 0; i < 8; i++) random.below(2);
  const kind: RowKind = random.below(2) === 0 ? "issue" : "patch";
  const length = 1 + random.below(random.below(LONG.share) === 0 ? MAX_ENTRIES * LONG.factor : MAX_ENTRIES);
  // Most objects are odd in few places, so that what comes after still counts.
  const oddity = random.pick([0, 0, 8, 20]);
  const document = random.pick(["one", "one", "two", random.pick(features.documents)]);
  const entries: EntryPlan[] = [];
  const likely: number[] = [];
  let seconds = START_SECONDS;
  while (entries.length < length) {
    const i = entries.length;
    const named: Named = { entries: Math.max(i, 1), likely, keys: WRITERS, commits: COMMITS, features };
    const plan = randomEntry(random, kind, features, entries, named, { oddity, document, seconds });
    seconds = plan.seconds;
    entries.push(plan);
    if (plan.oddities !== undefined) entries.push(cover(kind, plan, entries.length - 1));
    if (plan.actions.some((action) => /"type":"(comment|revision|review)(\.comment)?"/.test(action))) {
      likely.push(i);
    }
  }
  return { kind, nonce: seed, entries };
}

/** A plain entry on top of an odd one, for a reference to lead to. */
function cover(kind: RowKind, { seconds, document }: EntryPlan, odd: number): EntryPlan {
  const action = kind === "issue"
    ? { type: "comment", body: "On top", replyTo: "@e0" }
    : { type: "revision.comment", body: "On top", revision: "@e0" };
  return {
    writer: odd % WRITERS,
    parents: [odd],
    seconds: seconds + 1,
    actions: [JSON.stringify(action)],
    ...document === undefined ? {} : { document },
  };
}

function randomEntry(
  random: Random,
  kind: RowKind,
  features: Features,
  entries: readonly EntryPlan[],
  named: Named,
  base: { oddity: number; document: string; seconds: number },
): EntryPlan {
  const isFirst = entries.length === 0;
  const isOdd = (share: number) => base.oddity > 0 && random.below(base.oddity * (isFirst ? 4 : 1)) < share;
  const count = [1, 1, 1, 1, 2, 3][random.below(6)]!;
  const oddities = isOdd(1) ? randomOddities(random, features) : [];
  const values = oddities.some((name) => findOddity(name).isTimeless)
    ? [{ type: "label", labels: ["a"] }]
    : isFirst
    ? openingActions(random, kind, named)
    : Array.from({ length: count }, () =>
      kind === "issue" ? issueAction(random, named) : patchAction(random, named));
  const actions = values.map((value) => {
    const text = JSON.stringify(value);
    return isOdd(1) && features.json.length > 0 ? ODD_JSON[random.pick(features.json)]!(text, random) : text;
  });
  const documents = features.documents;
  const document = random.below(10) === 0 ? random.pick(documents) : base.document;
  return {
    writer: random.pick([0, 0, 1, 2, random.below(WRITERS)]),
    parents: isFirst
      ? (features.hasMissingRoots && random.below(60) === 0 ? ["missing"] : [])
      : randomParents(random, entries),
    seconds: base.seconds + random.pick([0, 0, 1, 1, 2, -1, -3, 60]),
    actions,
    ...random.below(80) === 0 ? {} : { document },
    ...oddities.length > 0 ? { oddities } : {},
  };
}

function randomOddities(random: Random, features: Features): string[] {
  if (features.hasTypos && random.below(3) === 0) {
    return [`${random.pick(TYPO_NAMES)} ${random.below(1 << 30)}`];
  }
  if (features.oddities.length === 0) return [];
  const first = random.pick(features.oddities);
  const second = random.pick(features.oddities);
  return random.below(8) === 0 && second !== first ? [first, second] : [first];
}

/** Entries that a new one may stand on: mostly all ends, but not always. */
export function randomParents(random: Random, entries: readonly EntryPlan[]): EntryPlan["parents"] {
  const ends = openEnds(entries);
  const any = () => random.below(entries.length);
  switch (random.below(12)) {
    case 0:
    case 1:
      return [any()];
    case 2:
      return [...new Set([any(), any()])];
    case 3:
      return [0];
    case 4:
      return random.below(3) === 0 ? [any(), random.pick(["missing", "foreign"] as const)] : [any()];
    case 5:
      return random.below(6) === 0 ? [random.pick(["missing", "foreign"] as const)] : [ends[0]!];
    default:
      return random.below(3) === 0 ? [random.pick(ends)] : ends;
  }
}
