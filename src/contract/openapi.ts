/** Parts of an OpenAPI document. The core has one part, and each extension may have another part. */

/** Dialects of services that serve their document. All services with version 1 serve their document. */
export type DocumentDialect = "v1" | "both";

/** Texts of JSON values, by name. */
export type JsonTexts = Readonly<Record<string, string>>;

/**
 * Paths and components of an OpenAPI document. They are stored as JSON texts, because JavaScript numbers
 * would round bounds of 64 bits. `%aliases%` stands for the aliases that the host gives to repositories. The
 * service replaces `%aliases%` by these aliases, as further alternatives of a pattern.
 */
export interface DocumentPart {
  /** Descriptions of paths by template, such as `/api/v1/nodes/{nid}`. */
  readonly paths: JsonTexts;
  /** Components by kind, such as `schemas`, and by name. */
  readonly components: Readonly<Record<string, JsonTexts>>;
}
