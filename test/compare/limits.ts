/** Limits of a comparison: the other service is not trusted. */

/** Requests to each service, by default. */
export const DEFAULT_REQUESTS = 400;
/** Longest time for an answer, by default. */
export const ANSWER_SECONDS = 60;
/** Longest answer that is compared, in bytes. */
export const MAX_COMPARED_BYTES = 8 * 1024 * 1024;
/** Deepest nesting of an answer that is compared. */
export const MAX_COMPARED_DEPTH = 64;
/** Most values in an answer that is compared. */
export const MAX_COMPARED_VALUES = 1_000_000;
/** Differences found in one answer. */
export const MAX_DIFFERENCES = 256;
/** Successive requests without an answer after which the comparison ends. */
export const MAX_UNANSWERED = 5;
