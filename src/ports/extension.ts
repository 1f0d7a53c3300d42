/** Additions to the API, as a host passes them to `createApi`. */

/**
 * An addition to the API, such as `search({ index })`. One object serves one API. What it does stands in
 * `Extension` (`src/extension.ts`).
 */
export interface ApiExtension {
  /** Name for messages; no two extensions of an API share one. */
  readonly name: string;
}
