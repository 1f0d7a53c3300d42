/** One statement of the specification: what it says, a request, and what the answer has to be. */
import type { Answer } from "../support/api.ts";
import type { AskOptions, Running, Setup } from "./world.ts";

/** A statement that a running service can be held against. */
export interface Checked extends AskOptions {
  /** Section of the specification, and a name within it. */
  readonly id: string;
  /** The statement in short. */
  readonly says: string;
  /** The service; as usual by default. */
  readonly setup?: Setup;
  /** Whether a request that reads needs a service for itself, since its row changes something. */
  readonly isAlone?: boolean;
  /** `METHOD /path`; names in braces are those of `world.ts`. */
  readonly request: string;
  /** Throws when the answer is another one. */
  expect(answer: Answer, running: Running): unknown;
}

/** A statement that nothing can be held against. */
export interface Open {
  readonly id: string;
  readonly says: string;
  /** `not shown`: the specification leaves it to the service. `earlier`: about earlier revisions. */
  readonly open: "not shown" | "earlier";
}

/** A row of the table. */
export type Statement = Checked | Open;

/** A row with a request. */
export const row = (
  id: string,
  says: string,
  request: string,
  expect: Checked["expect"],
  options: AskOptions & Pick<Checked, "setup" | "isAlone"> = {},
): Checked => ({ id, says, request, expect, ...options });

/** A row about what the specification does not show. */
export const notShown = (id: string, says: string): Open => ({ id, says, open: "not shown" });
