/** Describes why a request failed, in the same words on every runtime. */

/**
 * Descriptions for error codes of operating systems and runtimes, and for messages of Deno, which has no
 * codes.
 */
const REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/ECONNREFUSED|ConnectionRefused|connection refused/i, "connection refused"],
  [/ENOTFOUND|EAI_AGAIN|dns error|getaddrinfo/i, "unknown host"],
  [/ECONNRESET|ConnectionClosed|connection reset|connection closed/i, "connection closed"],
  [/EHOSTUNREACH|ENETUNREACH|unreachable/i, "no route to the host"],
  [/ETIMEDOUT|timed? ?out/i, "no answer in time"],
  [/CERT|certificate/i, "its certificate is not trusted"],
  [/NotCapable|Requires net access/, "not permitted: run it with --allow-net"],
];

/** Maximum length of a description that is taken from the message of a runtime, in characters. */
const MAX_REASON = 200;

/** Returns the reason for a failed request, on one line. */
export function reasonOf(error: unknown): string {
  const causes = chainOf(error);
  const text = causes.flatMap(({ code, name, message }) => [code, name, message]).join("\n");
  const known = REASONS.find(([pattern]) => pattern.test(text));
  return known?.[1] ?? (causes.at(-1)?.message ?? String(error)).replace(/\s+/g, " ").slice(0, MAX_REASON);
}

interface Cause {
  readonly code: string;
  readonly name: string;
  readonly message: string;
}

/**
 * Returns an error and its chain of causes. The original cause is last. Of an `AggregateError`, only the
 * first error is used.
 */
function chainOf(error: unknown): Cause[] {
  const found: Cause[] = [];
  for (let cause = error; cause instanceof Error && found.length < 8;) {
    found.push({ code: "code" in cause ? String(cause.code) : "", name: cause.name, message: cause.message });
    cause = cause.cause ?? (cause instanceof AggregateError ? cause.errors[0] : undefined);
  }
  return found;
}
