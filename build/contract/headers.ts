/** Header fields of requests and answers (10, 11). */
import type { Caching } from "../../src/contract/endpoint.ts";
import type { DescribedRoute } from "./all.ts";

/** Descriptions of header fields of answers. */
export const HEADERS: Readonly<Record<string, string>> = {
  "Accept-Ranges": "`bytes`: parts of the file can be requested.",
  "Access-Control-Allow-Origin": "`*`: web pages of all origins may read the answer.",
  "Access-Control-Expose-Headers":
    "Fields that web pages of other origins may read, in addition to the fields that they may always read.",
  "Allow": "Methods that the path supports.",
  "Cache-Control":
    "Who may store the answer, and for how long. It is `no-cache` if the request names a commit by a reference.",
  "Content-Disposition": "Name of the file.",
  "Content-Length": "Bytes of the body. Streamed answers lack this field.",
  "Content-Range": "The bytes in a 206, and the size of the file. In a 416, `bytes */` and the size.",
  "Content-Security-Policy": "What browsers may run and load: nothing that users wrote.",
  "Cross-Origin-Opener-Policy": "`same-origin`: pages of other origins cannot control the page.",
  "Cross-Origin-Resource-Policy": "`same-origin`: pages of other origins cannot embed the file.",
  "ETag": "Strong validator of the answer, for `If-None-Match`.",
  "Expires": "A time in the past: no cache may use the answer.",
  "Link": "Other pages of the list (RFC 8288): `first`, `prev`, `next`, and `last` where it is known. " +
    "References are relative.",
  "Pragma": "`no-cache`, for old caches.",
  "Referrer-Policy": "`no-referrer`: links do not reveal the page that they are on.",
  "Retry-After": "Seconds after which the request may succeed.",
  "Vary": "Fields of the request that the answer depends on.",
  "X-Accel-Buffering": "`no`: proxies forward each event immediately.",
  "X-Content-Type-Options": "`nosniff`: the type is as declared.",
  "X-Total-Count": "Number of items in the whole list that the client may see, if they are counted anyway.",
  "X-Robots-Tag": "`noindex, nofollow`: the answer is expensive, so search engines should not request it.",
  "Xylem-Confirmed": "On replicas: the time when the bucket last confirmed the shown state.",
  "Xylem-Consistency-Token":
    "After a change through a replica, and in answers of the origin that a replica forwards: the state of the repository. " +
    "A client that sends it with a request gets no answer from an older state. It is valid for ten minutes.",
  "Xylem-Published": "On replicas: the time when the shown state was published.",
  "Xylem-Publisher-Seen": "On replicas: the time of the last sign of the publisher.",
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
