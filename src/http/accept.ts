/** Content negotiation: the media types that a client prefers (RFC 9110, 12.5.1). */

/** A media range of `Accept` with its quality. */
const RANGE = /^\s*([^\s;]+)\s*(?:;(.*))?$/;
const QUALITY = /(?:^|;)\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*(?:;|$)/i;

/**
 * Whether a client asks for HTML, as browsers do for pages: `text/html` is in its `Accept`, and not after
 * JSON. Choice: ranges with `*` do not count, since programs send them without any wish for a page.
 *
 * @param accept The header field; `null` when it is absent.
 */
export function prefersHtml(accept: string | null): boolean {
  const html = qualityOf("text/html", accept ?? "");
  return html > 0 && html >= qualityOf("application/json", accept ?? "");
}

/** The quality of a media type, from 0 to 1; 0 for a type that the field does not name. */
function qualityOf(type: string, accept: string): number {
  for (const item of accept.split(",")) {
    const [, range, parameters = ""] = RANGE.exec(item) ?? [];
    if (range?.toLowerCase() === type) return Number(QUALITY.exec(parameters)?.[1] ?? 1);
  }
  return 0;
}
