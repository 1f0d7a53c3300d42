/** Header fields of requests and answers (10, 11). */
import type { Caching } from "../../src/contract/endpoint.ts";
import type { DescribedRoute } from "./all.ts";

/** Descriptions of header fields of answers. */
export const HEADERS: Readonly<Record<string, string>> = {
  "Accept-Ranges": "`bytes`: parts of the file can be asked for.",
  "Access-Control-Allow-Origin": "`*`: pages of all origins may read.",
  "Access-Control-Expose-Headers":
    "Fields that pages of other origins may read, besides those that they always may.",
  "Allow": "Methods that the path takes.",
  "Cache-Control": "Who may store the answer, and how long; what is asked for by a name is `no-cache`.",
  "Content-Disposition": "Name of the file.",
  "Content-Length": "Bytes of the body; streamed answers have none.",
  "Content-Range": "Which bytes of how many a 206 has; `bytes */` and their number with a 416.",
  "Content-Security-Policy": "What browsers may run and load: nothing of users.",
  "Cross-Origin-Opener-Policy": "`same-origin`: pages of other origins have no hold on the page.",
  "Cross-Origin-Resource-Policy": "`same-origin`: pages of other origins cannot embed it.",
  "ETag": "Strong tag of the answer, for `If-None-Match`.",
  "Expires": "A time that has passed: no cache may use the answer.",
  "Link": "Other pages of the list (RFC 8288): `first`, `prev`, `next`, and `last` where it is known. " +
    "References are relative.",
  "Pragma": "`no-cache`, for old caches.",
  "Referrer-Policy": "`no-referrer`: links tell nobody where they were.",
  "Retry-After": "Seconds after which the request may succeed.",
  "Vary": "Fields of the request on which the answer depends.",
  "X-Accel-Buffering": "`no`: proxies pass each event on at once.",
  "X-Content-Type-Options": "`nosniff`: the type is as declared.",
  "X-Total-Count": "Items in the whole list that the client may see, where they are counted anyway.",
  "X-Robots-Tag": "`noindex, nofollow`: the answer is expensive; search engines are to leave it alone.",
  "Xylem-Confirmed": "Of a replica: when its bucket last confirmed the state that is shown.",
  "Xylem-Consistency-Token":
    "Of a change by way of replicas, and of reads that one has passed on: the state of the repository. " +
    "Sent with requests for it, it lets no replica answer from an older one, for ten minutes.",
  "Xylem-Published": "Of a replica: when the state that is shown was published.",
  "Xylem-Publisher-Seen": "Of a replica: the last sign of life of the publisher.",
};

/** Fields whose values are numbers. */
export const NUMBERS: readonly string[] = ["Content-Length", "Retry-After", "X-Total-Count"];

/** Fields that every answer has. */
export const OF_ALL = [
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
  "Vary",
  "Content-Length",
  "Cache-Control",
  "Xylem-Confirmed",
  "Xylem-Consistency-Token",
  "Xylem-Published",
  "Xylem-Publisher-Seen",
];
/** Further fields of all answers of expensive routes. */
const OF_EXPENSIVE = ["X-Robots-Tag"];
/** Fields of paged lists. */
const OF_PAGES = ["Link", "X-Total-Count"];

/** Header fields of a route's successful answer. */
export function headersOf(
  { caching = "unspecified", fields = [], query, takesRanges, isExpensive }: DescribedRoute,
  isFile: boolean,
): readonly string[] {
  return [
    ...OF_ALL,
    ...(isExpensive === true ? OF_EXPENSIVE : []),
    ...fields,
    ...(query !== undefined && "page" in query.entries ? OF_PAGES : []),
    ...(isTagged(caching) ? ["ETag"] : []),
    ...(takesRanges === true ? ["Accept-Ranges", "Content-Range"] : []),
    ...(isFile ? ["X-Content-Type-Options", "Content-Security-Policy"] : []),
  ];
}

/** Header fields of an error with this status. */
export function headersOfError(status: number, isExpensive: boolean): readonly string[] {
  return [
    ...OF_ALL,
    ...(isExpensive ? OF_EXPENSIVE : []),
    ...(status === 429 || status === 503 ? ["Retry-After"] : []),
    ...(status === 405 ? ["Allow"] : []),
    ...(status === 416 ? ["Content-Range"] : []),
  ];
}

/** Whether answers have an `ETag`, so that clients can revalidate them. */
export function isTagged(caching: Caching | undefined): boolean {
  return caching === "immutable" || caching === "revalidated";
}
