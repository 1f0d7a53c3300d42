/** Codes of the errors of routes (7). */
/** Errors of routes that read a repository. */
export const OF_READS = ["badParameter", "notFound", "payloadTooLarge"] as const;
/** Errors of routes that compare trees. */
export const OF_DIFFS = [...OF_READS, "unsupported"] as const;
/** Errors of routes that read a request body. */
export const OF_BODIES = ["badRequest", "payloadTooLarge", "unsupportedMediaType", "unprocessable"] as const;
/** Errors of routes that change a repository. */
export const OF_CHANGES = [
  "badParameter",
  ...OF_BODIES,
  "unauthorized",
  "forbidden",
  "notFound",
  "conflict",
] as const;
