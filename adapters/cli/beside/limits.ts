/** Limits of a comparison: the other service may be anybody's. */

/** Requests to each service, and seconds for an answer, unless told otherwise. */
export const DEFAULT_REQUESTS = 400, ANSWER_SECONDS = 60;
/** Longest answer that is compared, in bytes. */
export const MAX_COMPARED_BYTES = 8 * 1024 * 1024;
/** Deepest nesting of an answer that is compared, and most values in it. */
export const MAX_COMPARED_DEPTH = 64, MAX_COMPARED_VALUES = 1_000_000;
/** Differences of an answer that are looked at. */
export const MAX_DIFFERENCES = 256;
/** Requests without an answer, one after another, after which the other service is not asked any more. */
export const MAX_UNANSWERED = 5;
