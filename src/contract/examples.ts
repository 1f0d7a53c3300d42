/**
 * Real requests and answers of the demo home, in JSON, by the names of routes. Made by
 * `node test/contract/record_examples.ts`.
 */

/** A request's body, and an answer: JSON, or text of a file. */
export interface Example {
  readonly request?: string;
  readonly answer: string;
}

/** An example for each route. */
export const EXAMPLES: Readonly<Record<string, Example>> = {};
