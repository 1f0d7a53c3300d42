/** Encoder of commit objects, byte for byte as the Radicle programs write them. */
import type { Oid } from "../ids/oid.ts";
import { trimWhiteSpace } from "../text/white_space.ts";
import type { Person } from "./commit.ts";

/** One line `token: value` at the end of a message. */
export interface CommitTrailer {
  readonly token: string;
  readonly value: string;
}

/** The parts of a commit. Author and committer are the same. */
export interface CommitDraft {
  readonly tree: Oid;
  /** In this order. */
  readonly parents: readonly Oid[];
  readonly author: Person;
  /** Whole seconds since the Unix epoch. */
  readonly timeSeconds: number;
  /** UTC offset in hours and minutes; `+0000` by default. */
  readonly zone?: string;
  /** An armored signature for the header `gpgsig`; trailing white space is ignored. */
  readonly signature?: string;
  /** Written trimmed and with a final line feed. */
  readonly message: string;
  /** Written after an empty line, in this order. */
  readonly trailers?: readonly CommitTrailer[];
}

// deno-lint-ignore no-control-regex -- control characters are what the rule is about
const UNFIT_FOR_LINE = /[\x00\n]/;
const UNFIT_FOR_PERSON = /[<>]/;
const ZONE = /^[+-]\d{4}$/;

/**
 * Encodes a commit.
 *
 * @throws {TypeError} when a part could not be parsed back: a line feed or NUL in a single line, `<` or `>`
 *   in a name or address, NUL in the message, a time that is not a whole number.
 */
export function encodeCommit(draft: CommitDraft): Uint8Array<ArrayBuffer> {
  const { tree, parents, author, timeSeconds, zone = "+0000", signature, message, trailers = [] } = draft;
  if (!Number.isSafeInteger(timeSeconds) || !ZONE.test(zone)) {
    throw new TypeError(`A commit cannot have the time "${timeSeconds} ${zone}"`);
  }
  for (const part of [author.name, author.email]) {
    if (UNFIT_FOR_PERSON.test(part)) throw new TypeError(`"${part}" cannot be a person's name or address`);
  }
  if (message.includes("\0") || signature?.includes("\0")) throw new TypeError("A commit cannot hold NUL");
  const person = `${author.name} <${author.email}> ${timeSeconds} ${zone}`;
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${person}`,
    `committer ${person}`,
    ...(signature === undefined ? [] : [`gpgsig ${signature.trimEnd().replaceAll("\n", "\n ")}`]),
    "",
    trimWhiteSpace(message),
    ...(trailers.length > 0 ? ["", ...trailers.map(({ token, value }) => `${token}: ${value}`)] : []),
    "",
  ];
  for (const part of [person, ...trailers.flatMap(({ token, value }) => [token, value])]) {
    if (UNFIT_FOR_LINE.test(part)) throw new TypeError(`"${part}" cannot be in one line of a commit`);
  }
  return new TextEncoder().encode(lines.join("\n"));
}
