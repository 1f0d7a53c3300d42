/** Error codes of routes (specification, 7). */
/** Error codes of routes that read a repository. */
export const OF_READS = ["badParameter", "notFound", "payloadTooLarge"] as const;
/** Error codes of routes that compare trees. */
export const OF_DIFFS = [...OF_READS, "unsupported"] as const;
/** Error codes of routes that read a request body. */
export const OF_BODIES = ["badRequest", "payloadTooLarge", "unsupportedMediaType", "unprocessable"] as const;
/** Error codes of routes that change a repository. */
export const OF_CHANGES = [
  "badParameter",
  ...OF_BODIES,
  "unauthorized",
  "forbidden",
  "notFound",
  "conflict",
] as const;
