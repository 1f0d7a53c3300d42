/** Additions to the API that a host passes to `createApi`. */

/** An addition to the API, such as `search({ index })`. The same object must not be passed to two APIs. */
export interface ApiExtension {
  /** Name of the extension in messages, unique among the extensions of an API. */
  readonly name: string;
}
