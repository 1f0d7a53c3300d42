/** Parts of an OpenAPI document. The core has one part, and each extension may have another part. */

/** Dialects of services that serve their document. These are all services with version 1. */
export type DocumentDialect = "v1" | "both";

/** Texts of JSON values, by name. */
export type JsonTexts = Readonly<Record<string, string>>;

/**
 * Paths and components of an OpenAPI document. They are texts, because JavaScript numbers would round bounds
 * of 64 bits. In the texts, `%aliases%` is replaced by the names that the host gives to repositories, as
 * further alternatives of a pattern.
 */
export interface DocumentPart {
  /** Descriptions of paths by template, such as `/api/v1/nodes/{nid}`. */
  readonly paths: JsonTexts;
  /** Components by kind, such as `schemas`, and by name. */
  readonly components: Readonly<Record<string, JsonTexts>>;
}
