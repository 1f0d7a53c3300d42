/** Histories of signed references, right and wrong ones, as anybody may make them. */
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { formatSigrefs } from "../../src/identity/sigrefs_text.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { ObjectKind } from "../../src/ports/storage.ts";
import { createRandom, type Random } from "../cob/random.ts";
import type { Writer } from "../cob/entries.ts";
import { type Folder, putCommit } from "../support/world.ts";

/** The branch whose target tells one state from another. */
export const BRANCH = "refs/heads/at";

/** Commits of a repository to which references point. */
export interface Place {
  /** The root of the identity. */
  readonly root: Oid;
  /** A commit of code for each state. */
  readonly states: Readonly<Record<State, Oid>>;
}
export type State = "x" | "y" | "z";
export type Level = "none" | "root" | "parent";

const encoder = new TextEncoder();
const NO_OBJECT = "1234567890".repeat(4) as Oid;
const ZERO = "0".repeat(40);

/** A commit of signed references. */
interface Step {
  readonly state?: State;
  readonly level?: Level;
  /** Further lines. */
  readonly lines?: readonly (readonly [string, Oid])[];
  /** Makes the text out of its canonical form; the same by default. */
  readonly text?: (canonical: string) => string | Uint8Array;
  /** What is signed: the canonical form, or the text as it is. */
  readonly signed?: "canonical" | "stored";
  /** The files in place of these. */
  readonly folder?: (refs: Uint8Array, signature: Uint8Array) => Folder;
  /** The last commit by default. */
  readonly parents?: readonly Oid[];
  /** The parent that the text names; the real one by default. */
  readonly named?: Oid;
}

/** The history of one node. */
export class CraftedHistory {
  readonly commits: Oid[] = [];
  readonly place: Place;
  readonly #put: (kind: ObjectKind, bytes: Uint8Array) => Oid;
  readonly #writer: Writer;

  constructor(put: (kind: ObjectKind, bytes: Uint8Array) => Oid, writer: Writer, place: Place) {
    this.#put = put;
    this.#writer = writer;
    this.place = place;
  }

  get tip(): Oid {
    return this.commits.at(-1)!;
  }

  add(step: Step): this {
    const { state = "x", level = "root", lines = [], text, signed = "canonical", folder } = step;
    const { parents = this.commits.slice(-1) } = step;
    const named = step.named ?? (level === "parent" ? parents[0] : undefined);
    const refs = new Map<string, Oid>([[BRANCH, this.place.states[state]]]);
    if (level !== "none") refs.set("refs/rad/root", this.place.root);
    if (named !== undefined) refs.set("refs/rad/sigrefs-parent", named);
    for (const [name, oid] of lines) refs.set(name, oid);
    const canonical = formatSigrefs(refs);
    const made = text?.(canonical) ?? canonical;
    const bytes = typeof made === "string" ? encoder.encode(made) : made;
    const signature = this.#writer.sign(signed === "stored" ? bytes : encoder.encode(canonical));
    this.commits.push(putCommit({ put: this.#put }, {
      folder: folder?.(bytes, signature) ?? { refs: bytes, signature },
      parents,
      message: "Update signed refs\n",
      person: `radicle <${this.#writer.nid}>`,
    }));
    return this;
  }
}

/** What is shown of a node: a state, references without any, or nothing. */
export type Shown = State | "empty" | "refused";

/** A history that can be made in any repository. */
export interface HistoryPlan {
  readonly name: string;
  /** Whether nodes can fetch it: all objects are there, and git accepts all names. */
  readonly isWhole: boolean;
  readonly make: (history: CraftedHistory) => void;
}

/** A history, and what is shown of it by the rules before 1.1, those of 1.1, and the newest. */
export interface Crafted extends HistoryPlan {
  readonly shown: readonly [early: Shown, v11: Shown, newest: Shown];
}

/** The place of a generation in {@link Crafted.shown}. */
export const PLACE_OF: Readonly<Record<HomeGeneration, 0 | 1 | 2>> = {
  "2024": 0,
  "0.10": 0,
  "1.1": 1,
  newest: 2,
};

function crafted(
  name: string,
  shown: string,
  make: (history: CraftedHistory) => unknown,
  isWhole = true,
): Crafted {
  const [early, v11, newest] = shown.split(" ").map((word) => word === "-" ? "refused" : word) as Shown[];
  return { name, shown: [early!, v11!, newest!], isWhole, make };
}

/** States and levels, one after the other: `x:root y:parent`. */
function plain(steps: string): (history: CraftedHistory) => void {
  return (history) => {
    for (const step of steps.split(" ")) {
      const [state, level] = step.split(":") as [State, Level];
      history.add({ state, level });
    }
  };
}

const plains: readonly Crafted[] = ([
  ["x:none", "x x x"],
  ["x:root", "x x x"],
  ["x:root y:parent", "y y y"],
  ["x:none y:none", "y y y"],
  ["x:none y:root z:parent", "z z z"],
  ["x:root y:root x:root", "x x y"],
  ["x:none y:none x:none", "x x y"],
  ["x:none y:none z:none y:none", "y y z"],
  ["x:root x:root", "x x x"],
  ["x:root y:root x:root y:root", "y y y"],
  ["x:root y:root x:root z:root", "z z z"],
  ["x:root y:root z:root x:root y:root", "y y z"],
  ["x:none y:root z:root y:root", "y y z"],
  ["x:none y:root y:root", "y y y"],
  ["y:root x:none y:root", "y y y"],
  ["y:root x:none z:root y:root", "y y z"],
  ["x:none y:none x:none y:root", "y y y"],
  ["x:root y:parent x:parent y:parent", "y y y"],
  ["x:root y:parent z:root", "z z -"],
  ["x:root y:parent z:none", "z z -"],
  ["x:root y:none", "y y -"],
  ["x:none y:root x:none", "x x -"],
  ["x:root y:parent z:root x:parent", "x x x"],
  ["x:root y:none z:root", "z z z"],
] as const).map(([steps, shown]) => crafted(steps, shown, plain(steps)));

/** Texts that are not canonical, and what is shown if the text is signed, and if its canonical form is. */
const texts: readonly Crafted[] = ([
  ["unsorted lines", (text) => text.split("\n").slice(0, -1).reverse().join("\n") + "\n", "x - -", "- x x"],
  ["CRLF", (text) => text.replaceAll("\n", "\r\n"), "x - -", "- x x"],
  ["a line of a zero id", (text) => `${text}${ZERO} refs/heads/zero\n`, "x - -", "- x x"],
  ["upper case", (text) => text.replaceAll(/^[0-9a-f]+/gm, (oid) => oid.toUpperCase()), "x - -", "- x x"],
  ["a line twice", (text) => text + text, "x - -", "- x x"],
  ["no line feed at the end", (text) => text.slice(0, -1), "x - -", "- x x"],
  ["a blank line", (text) => text.replace("\n", "\n\n"), "- - -", "- - -"],
  ["a blank line at the end", (text) => `${text}\n`, "- - -", "- - -"],
  ["a byte order mark", (text) => `\ufeff${text}`, "- - -", "- - -"],
  ["a line without a name", (text) => `${text}${ZERO}\n`, "- - -", "- - -"],
  ["a space too many", (text) => text.replace(" ", "  "), "- - -", "- - -"],
  ["an id of 41 digits", (text) => `0${text}`, "- - -", "- - -"],
  ["no UTF-8", (text) => Uint8Array.of(...encoder.encode(text), 0xff, 0x0a), "- - -", "- - -"],
  [
    "a line for themselves",
    (text) => `${text}${NO_OBJECT} refs/rad/sigrefs\n`,
    "x x -",
    "- - x",
  ],
] as [string, (text: string) => string | Uint8Array, string, string][]).flatMap((
  [name, text, stored, canonical],
) => [
  crafted(
    `${name}, signed as it is`,
    stored,
    (history) => history.add({ text, signed: "stored" }),
    name !== "a line for themselves",
  ),
  crafted(`${name}, the canonical form signed`, canonical, (history) => history.add({ text })),
]);

/** An id of fewer digits stands for one with zeros behind: no object. */
const SHORT = "1234";
const shorts: readonly Crafted[] = [
  crafted(
    "a short id, signed as it is",
    "x - -",
    (history) => history.add({ text: (text) => `${text}${SHORT} refs/rad/short\n`, signed: "stored" }),
    false,
  ),
  crafted("a short id, the canonical form signed", "- x -", (history) =>
    history.add({
      lines: [["refs/rad/short", SHORT.padEnd(40, "0") as Oid]],
      text: (text) => text.replace(SHORT.padEnd(40, "0"), SHORT),
    }), false),
];

const badSignature = (refs: Uint8Array) => ({ refs, signature: new Uint8Array(64) });

const others: readonly Crafted[] = [
  crafted(
    "a parent line with another id",
    "y y -",
    (history) => history.add({}).add({ state: "y", named: history.place.root }),
  ),
  crafted(
    "a parent line on a first commit",
    "x x -",
    (history) => history.add({ named: history.place.root }),
  ),
  crafted(
    "a parent line without a root",
    "y y -",
    (history) => history.add({}).add({ state: "y", level: "none", named: history.tip }),
  ),
  crafted("two parents", "y y -", (history) => {
    const [first, second] = history.add({}).add({ state: "z", parents: [] }).commits;
    history.add({ state: "y", parents: [first!, second!] });
  }),
  crafted("two parents, the first one named", "y y -", (history) => {
    const [first, second] = history.add({}).add({ state: "z", parents: [] }).commits;
    history.add({ state: "y", level: "parent", parents: [first!, second!] });
  }),
  crafted("two parents below level root", "y y -", (history) => {
    const [first, second] = history.add({}).add({ state: "z", parents: [] }).commits;
    history.add({ parents: [first!, second!] }).add({ state: "y" });
  }),
  crafted("two parents below level parent", "y y y", (history) => {
    const [first, second] = history.add({}).add({ state: "z", parents: [] }).commits;
    history.add({ parents: [first!, second!] }).add({ state: "y", level: "parent" });
  }),
  crafted(
    "a bad signature below level none",
    "y y -",
    (history) => history.add({ level: "none", folder: badSignature }).add({ state: "y", level: "none" }),
  ),
  crafted(
    "a bad signature below level root",
    "z z -",
    (history) => history.add({}).add({ state: "y", folder: badSignature }).add({ state: "z" }),
  ),
  crafted(
    "a bad signature below level parent",
    "y y y",
    (history) => history.add({ folder: badSignature }).add({ state: "y", level: "parent" }),
  ),
  crafted("a bad signature", "- - -", (history) => history.add({ folder: badSignature })),
  crafted(
    "the signature of another text",
    "- - -",
    (history) => history.add({ text: (text) => text.replace("/at", "/of") }),
  ),
  crafted(
    "an empty signature",
    "- - -",
    (history) => history.add({ folder: (refs) => ({ refs, signature: "" }) }),
  ),
  crafted(
    "a signature with a byte more",
    "- - -",
    (history) =>
      history.add({ folder: (refs, signature) => ({ refs, signature: Uint8Array.of(...signature, 0) }) }),
  ),
  crafted("no signature", "- - -", (history) => history.add({ folder: (refs) => ({ refs }) })),
  crafted("no list", "- - -", (history) => history.add({ folder: (_, signature) => ({ signature }) })),
  crafted(
    "folders for files",
    "- - -",
    (history) => history.add({ folder: (refs, signature) => ({ refs: { refs }, signature: { signature } }) }),
  ),
  crafted(
    "an empty list",
    "empty empty empty",
    (history) => history.add({ text: () => "", signed: "stored" }),
  ),
  crafted(
    "an empty list after a root",
    "empty empty -",
    (history) => history.add({}).add({ text: () => "", signed: "stored" }),
  ),
  crafted(
    "a root that is a commit of code",
    "x - -",
    (history) => history.add({ lines: [["refs/rad/root", history.place.states.z]] }),
  ),
  crafted(
    "a root that is a commit of code, below level root",
    "y y -",
    (history) => history.add({ lines: [["refs/rad/root", history.place.states.z]] }).add({ state: "y" }),
  ),
  crafted(
    "a root that is nothing",
    "x - -",
    (history) => history.add({ lines: [["refs/rad/root", NO_OBJECT]] }),
    false,
  ),
  crafted(
    "another parent named below level root",
    "z z -",
    (history) => history.add({}).add({ state: "y", named: history.place.root }).add({ state: "z" }),
  ),
  crafted(
    "a name of one level",
    "x x x",
    (history) => history.add({ lines: [["main", history.place.states.z]] }),
    false,
  ),
  crafted(
    "a head that is not there",
    "x x x",
    (history) => history.add({ lines: [["refs/heads/gone", NO_OBJECT]] }),
    false,
  ),
  crafted(
    "a draft",
    "x x x",
    (history) => history.add({ lines: [["refs/drafts/one", history.place.states.z]] }),
  ),
  crafted(
    "a:b in a name",
    "- - -",
    (history) => history.add({ lines: [["refs/heads/a:b", history.place.states.z]] }),
  ),
  crafted(
    "a name that is taken for one with @{",
    "- - -",
    (history) => history.add({ lines: [["refs/heads/{a@", history.place.states.z]] }),
  ),
  crafted(
    "a name with a line separator of Unicode",
    "x x x",
    (history) => history.add({ lines: [["refs/heads/a\u2028b", history.place.states.z]] }),
  ),
  crafted(
    "a missing parent below level root",
    "x x -",
    (history) => history.add({ parents: [NO_OBJECT] }),
    false,
  ),
  crafted(
    "a missing parent below level parent",
    "x x x",
    (history) => history.add({ level: "parent", parents: [NO_OBJECT] }),
    false,
  ),
  crafted(
    "a parent that is no signed references",
    "x x -",
    (history) => history.add({ parents: [history.place.states.z] }),
  ),
];

/** All crafted histories. */
export const CRAFTED: readonly Crafted[] = [...plains, ...texts, ...shorts, ...others];

const STATES = ["x", "y", "z"] as const;
const LEVELS = ["none", "root", "parent"] as const;

/** Random histories, the same for the same numbers. */
export function randomHistories(first: number, count: number): HistoryPlan[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `seed ${first + i}`,
    isWhole: true,
    make: (history) => addRandomSteps(createRandom(first + i), history),
  }));
}

/** Adds random states, levels, parents and bad signatures. */
function addRandomSteps(random: Random, history: CraftedHistory): void {
  let level: Level = random.pick(LEVELS);
  for (let left = random.below(7); left >= 0; left--) {
    // Mostly a level stays, so that replays and downgrades are both frequent.
    if (random.below(4) === 0) level = random.pick(LEVELS);
    const step: Step = { state: random.pick(STATES.slice(0, 2 + random.below(2))), level };
    const other = history.commits.length === 0 ? undefined : random.pick(history.commits);
    switch (random.below(24)) {
      case 0:
        history.add({ ...step, folder: badSignature });
        break;
      case 1:
        history.add({ ...step, named: other ?? history.place.root });
        break;
      case 2:
        history.add({ ...step, parents: other === undefined ? [] : [history.tip, other] });
        break;
      case 3:
        history.add({ ...step, parents: other === undefined ? [] : [other] });
        break;
      case 4:
        history.add({ ...step, parents: [] });
        break;
      case 5:
        history.add({ ...step, lines: [["refs/rad/root", history.place.states.z]] });
        break;
      default:
        history.add(step);
    }
  }
}
