/** Parts of an OpenAPI document. The core has one part, and each extension may have another part. */

/** Dialects of services that serve an OpenAPI document: all services with version 1. */
export type DocumentDialect = "v1" | "both";

export type JsonTexts = Readonly<Record<string, string>>;

/**
 * The part of an OpenAPI document that the core or an extension describes. Values are JSON texts, because
 * JavaScript numbers would round bounds of 64 bits. The service replaces `%aliases%` in patterns by the
 * aliases that the host gives to repositories.
 */
export interface DocumentPart {
  /** Descriptions of paths, by path template such as `/api/v1/nodes/{nid}`. */
  readonly paths: JsonTexts;
  /** Components by kind, such as `schemas`, and by name. */
  readonly components: Readonly<Record<string, JsonTexts>>;
}
