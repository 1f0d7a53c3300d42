/** Additions to the API, which a host passes to `createApi`. */

/**
 * An addition to the API, such as `search({ index })`. One object serves one API. `Extension`
 * (`src/extension.ts`) describes what it can do.
 */
export interface ApiExtension {
  /** Name for messages, unique among the extensions of an API. */
  readonly name: string;
}
