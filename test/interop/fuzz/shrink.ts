/** Makes plans smaller that two sides see differently, until nothing can be left out. */
import { type Desk, type Difference, findDifferences } from "./desk.ts";
import type { EntryPlan, ObjectPlan } from "./plans.ts";

/** Rounds at most; each leaves something out of every plan, or is the last. */
const MAX_ROUNDS = 60;

/** The smallest plans that still differ, with what differs in them. */
export async function shrink(desk: Desk, differences: readonly Difference[]): Promise<Difference[]> {
  let smallest = [...differences];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let nonce = 0;
    const attempts = smallest.map(({ object }) =>
      smaller(object.plan).map((plan) => ({ ...plan, nonce: nonce++ }))
    );
    const plans = attempts.flat();
    if (plans.length === 0) break;
    const found = new Map((await findDifferences(desk, plans)).map((one) => [one.object.plan, one]));
    const next = smallest.map((one, i) => {
      const better = attempts[i]!.find((plan) => found.has(plan));
      return better === undefined ? one : found.get(better)!;
    });
    if (next.every((one, i) => one === smallest[i])) break;
    smallest = next;
  }
  return smallest;
}

/** Plans with less in them, the smallest first. */
export function smaller(plan: ObjectPlan): ObjectPlan[] {
  const { entries } = plan;
  const plans: ObjectPlan[] = [];
  for (let n = entries.length >> 1; n > 0; n >>= 1) {
    for (let at = 1; at + n <= entries.length; at += n) plans.push(without(plan, at, n));
  }
  for (const [i, entry] of entries.entries()) {
    const put = (changed: Partial<EntryPlan>) =>
      plans.push({ ...plan, entries: entries.with(i, { ...entry, ...changed }) });
    if (entry.actions.length > 1) {
      for (let at = 0; at < entry.actions.length; at++) put({ actions: entry.actions.toSpliced(at, 1) });
    }
    if (entry.oddities !== undefined) {
      const { oddities: _, ...rest } = entry;
      plans.push({ ...plan, entries: entries.with(i, rest) });
    }
    if (entry.document !== undefined && entry.document !== "one") put({ document: "one" });
    if (i > 0 && (entry.parents.length !== 1 || entry.parents[0] !== i - 1)) put({ parents: [i - 1] });
    if (entry.writer !== 0) put({ writer: 0 });
    if (entry.seconds !== 1_700_000_000 + i) put({ seconds: 1_700_000_000 + i });
  }
  return plans;
}

/** The plan without some entries; what stood on them stands on what they stood on. */
function without({ entries, ...rest }: ObjectPlan, at: number, count: number): ObjectPlan {
  const isGone = (i: number) => i >= at && i < at + count;
  const moved = (i: number) => i < at ? i : i - count;
  const resolve = (parents: EntryPlan["parents"]): EntryPlan["parents"] => [
    ...new Set(
      parents.flatMap((parent) =>
        typeof parent !== "number"
          ? [parent]
          : isGone(parent)
          ? resolve(entries[parent]!.parents)
          : [moved(parent)]
      ),
    ),
  ];
  return {
    ...rest,
    entries: entries.flatMap((entry, i) =>
      isGone(i) ? [] : [{
        ...entry,
        parents: resolve(entry.parents),
        actions: entry.actions.map((text) =>
          text.replace(/@e(\d+)/g, (_, n: string) => isGone(Number(n)) ? "@missing" : `@e${moved(Number(n))}`)
        ),
      }]
    ),
  };
}
