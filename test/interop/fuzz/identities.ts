/** Random identities: proposals of documents, votes on them, edits and withdrawals by several delegates. */
import { createRandom, type Random } from "../../cob/random.ts";
import { randomParents } from "./generate.ts";
import type { EntryPlan, ObjectPlan } from "./plans.ts";

/** Entries of an identity at most. */
const MAX_ENTRIES = 16;
const START_SECONDS = 1_700_000_000;
const WRITERS = 4;

/** Documents that are proposed, given that of the repository, whose one delegate is the key 0. Those from `SOUND` on are no documents, or hardly. */
export function identityDocuments(first: string): string[] {
  const doc = JSON.parse(first) as { payload: object };
  const make = (delegates: readonly number[], more: object = {}) =>
    JSON.stringify({
      delegates: delegates.map((key) => `@k${key}`),
      payload: doc.payload,
      threshold: 1,
      ...more,
    });
  return [
    first,
    make([0, 1]),
    make([0, 1, 2]),
    make([0, 1, 2, 3]),
    make([1]),
    make([0, 1, 2], { threshold: 2 }),
    make([0, 1], { payload: {} }),
    make([0], { payload: {} }),
    make([2, 1, 0]),
    make([0, 1], { visibility: { type: "private" } }),
    make([3, 2]),
    // The same as others in other words.
    ` ${make([0, 1, 2])}\n`,
    JSON.stringify({ threshold: 1, payload: doc.payload, delegates: ["@k0", "@k1"] }),
    make([0, 1], { version: 1, visibility: { type: "public" } }),
    make([0, 1, 1]),
    make([0, 1], { more: true }),
    // No documents.
    make([], {}),
    make([0, 1], { threshold: 3 }),
    make([0, 1], { version: 2 }),
    "{",
  ];
}
const SOUND = 11;
const DOCUMENTS = 20;

/** Keys that are delegates of the first documents. */
const DELEGATES: readonly (readonly number[])[] = [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]];

interface Proposal {
  readonly entry: number;
  readonly document: number;
}

/** A random identity. */
export function randomIdentity(seed: number): ObjectPlan {
  const random = createRandom(seed * 6271 + 11);
  for (let i = 0; i < 8; i++) random.below(2);
  return { kind: "id", nonce: seed, entries: new IdentityMaker(random).make() };
}

/** Makes one identity, most of whose entries count: who is a delegate and has not voted yet is more likely to vote. */
class IdentityMaker {
  readonly #random: Random;
  readonly #entries: EntryPlan[] = [];
  readonly #proposals: Proposal[] = [];
  /** Keys and proposals, of which a vote is no news. */
  readonly #voted = new Set<string>();
  /** One of so many choices is a bad one; none if 0. */
  readonly #badness: number;

  constructor(random: Random) {
    this.#random = random;
    this.#badness = random.pick([0, 25, 8]);
  }

  make(): EntryPlan[] {
    const random = this.#random;
    this.#propose(0, [], 0, null);
    const document = random.below(10) > 0 ? 1 + random.below(3) : 0;
    if (document > 0) this.#propose(0, [0], document, 0);
    const delegates = DELEGATES[document]!;
    const length = 2 + random.below(MAX_ENTRIES);
    while (this.#entries.length < length) {
      const writer = this.#isBad() ? random.below(WRITERS) : random.pick(delegates);
      const parents = randomParents(random, this.#entries);
      if (random.below(3) === 0) this.#propose(writer, parents, this.#document(), this.#parent());
      else this.#act(writer, parents);
    }
    return this.#entries;
  }

  #isBad(): boolean {
    return this.#badness > 0 && this.#random.below(this.#badness) === 0;
  }

  #document(): number {
    const random = this.#random;
    return this.#isBad() ? SOUND + random.below(DOCUMENTS - SOUND) : random.below(SOUND);
  }

  /** The proposal that a new one builds on: the one most likely in force, or the newest, or any. */
  #parent(): number | null {
    const random = this.#random;
    if (this.#isBad()) return null;
    const likely = this.#proposals[Math.min(1, this.#proposals.length - 1)]!;
    return random.pick([likely, likely, this.#proposals.at(-1)!, random.pick(this.#proposals)]).entry;
  }

  #propose(writer: number, parents: EntryPlan["parents"], document: number, on: number | null): void {
    const random = this.#random;
    const entry = this.#entries.length;
    const action = {
      type: "revision",
      title: this.#isBad()
        ? random.pick(["", " ", "a\nb", "a\r", "\u0085"])
        : random.pick(["Title", "Other", " blank "]),
      ...random.below(3) === 0 ? { description: "words" } : {},
      blob: `@i${document}`,
      parent: on === null ? null : `@e${on}`,
      signature: this.#isBad()
        ? `@s${random.below(WRITERS)}:${random.below(DOCUMENTS)}`
        : `@s${writer}:${document}`,
    };
    this.#put(writer, parents, [action], document);
    this.#proposals.push({ entry, document });
    this.#voted.add(`${writer} ${entry}`);
  }

  #act(writer: number, parents: EntryPlan["parents"]): void {
    const count = this.#random.below(8) === 0 ? 2 : 1;
    this.#put(writer, parents, Array.from({ length: count }, () => this.#action(writer)));
  }

  #put(writer: number, parents: EntryPlan["parents"], actions: readonly object[], embed?: number): void {
    const seconds = (this.#entries.at(-1)?.seconds ?? START_SECONDS) +
      this.#random.pick([0, 0, 1, 1, 2, -1, -3, 60]);
    this.#entries.push({
      writer,
      parents,
      seconds,
      actions: actions.map((action) => JSON.stringify(action)),
      ...embed === undefined ? {} : { embed },
    });
  }

  #action(writer: number): object {
    const random = this.#random;
    const news = this.#proposals.filter(({ entry }) => entry > 1 && !this.#voted.has(`${writer} ${entry}`));
    const { entry, document } = news.length > 0 && !this.#isBad()
      ? random.pick(news)
      : random.pick(this.#proposals);
    const id = this.#isBad() ? "@missing" : `@e${entry}`;
    const own = this.#proposals.filter(({ entry }) => this.#entries[entry]!.writer === writer);
    const mine = own.length > 0 && !this.#isBad() ? `@e${random.pick(own).entry}` : id;
    switch (random.below(10)) {
      case 0:
        return {
          type: "RevisionEdit",
          revision: mine,
          title: this.#isBad() ? random.pick(["", "a\nb"]) : random.pick(["Title", "Edited"]),
          ...random.below(2) === 0 ? { description: "more words" } : {},
        };
      case 1:
        return { type: "revision.redact", revision: mine };
      case 2:
      case 3:
      case 4:
        this.#voted.add(`${writer} ${entry}`);
        return { type: "revision.reject", revision: id };
      default: {
        this.#voted.add(`${writer} ${entry}`);
        const signer = this.#isBad() ? random.below(WRITERS) : writer;
        return { type: "revision.accept", revision: id, signature: `@s${signer}:${document}` };
      }
    }
  }
}
