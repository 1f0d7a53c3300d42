/** Additions to the API that a host passes to `createApi`. */

/**
 * An addition to the API, such as `search({ index })`. One object serves one API. The type `Extension` in
 * `src/extension.ts` has the methods of an extension.
 */
export interface ApiExtension {
  /** Name of the extension in messages, unique among the extensions of an API. */
  readonly name: string;
}
