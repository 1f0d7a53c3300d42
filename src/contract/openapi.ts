/** Parts of an OpenAPI document. The core brings one, and each extension may bring another. */

/** Dialects of services that serve their document: all services with version 1. */
export type DocumentDialect = "v1" | "both";

/** Texts of JSON, by name. */
export type JsonTexts = Readonly<Record<string, string>>;

/**
 * Paths and components of an OpenAPI document. They are texts, because JavaScript numbers would round bounds
 * of 64 bits. In the texts, `%aliases%` stands for the names that the host gives to repositories, as further
 * alternatives of a pattern.
 */
export interface DocumentPart {
  /** Descriptions of paths by template, such as `/api/v1/nodes/{nid}`. */
  readonly paths: JsonTexts;
  /** Components by kind, such as `schemas`, and name. */
  readonly components: Readonly<Record<string, JsonTexts>>;
}
