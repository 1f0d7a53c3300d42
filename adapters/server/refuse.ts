/** Answers of a server that its handler does not give. */

/** An error in the form of all errors (7). */
export function refuse(code: number, error: string, more: Readonly<Record<string, string>> = {}): Response {
  const body = JSON.stringify({ error, code });
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.length),
    "cache-control": "no-store",
    ...more,
  };
  return new Response(body, { status: code, headers });
}
