/** Says what differs, so that it can be run again. */
import type { Difference } from "./desk.ts";
import type { EntryPlan } from "./plans.ts";

/** Differences that are told in full. */
const MAX_TOLD = 12;
const MAX_TEXT = 400;

/** One text for all differences, the smallest objects first. */
export function tell(differences: readonly Difference[]): string {
  const told = differences.slice(0, MAX_TOLD).map(({ object: { plan }, text }) =>
    [
      `${plan.kind} ${plan.nonce}: ${cut(text)}`,
      ...plan.entries.map((entry, i) => `  ${i} ${tellEntry(entry)}`),
    ].join("\n")
  );
  const more = differences.length - told.length;
  return [...told, ...more > 0 ? [`and ${more} more`] : []].join("\n");
}

function tellEntry({ writer, parents, seconds, actions, document, oddities }: EntryPlan): string {
  const parts = [
    `by ${writer}`,
    `on ${parents.join(", ") || "nothing"}`,
    `at ${seconds}`,
    `with "${document}"`,
    ...oddities ?? [],
    ...actions.map(cut),
  ];
  return parts.join("  ");
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT / 2)} … ${text.slice(-MAX_TEXT / 2)}`;
}
