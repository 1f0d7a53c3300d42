/** Requests from a grammar of odd parts: most of them are none. */
import { oddBody } from "./bodies.ts";
import { anyFraming, bytesOf, damaged, type Draft, gzipped, utf8 } from "./draft.ts";
import { FIELD_NAMES, FIELDS, HOSTS, ODD_LINES } from "./fields.ts";
import type { Random } from "./random.ts";

const METHODS: readonly string[] = [
  "GET",
  "GET",
  "GET",
  "POST",
  "HEAD",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PRI",
  "QUERY",
  "get",
  "",
  "G\0T",
  "G\u00c9T",
  "A".repeat(20_000),
];

/** Paths that have to be normalised or that cannot be, and paths that need nothing. */
export const PATHS: readonly string[] = [
  "/",
  "/api/v1",
  "/api/v1/projects",
  "/MARK50/HEAD",
  "/MARK50.git/info/refs?service=git-upload-pack",
  "/api/v1/projects?page=MARK50",
  "/livez",
  "/readyz?MARK50",
  "/robots.txt",
  "/favicon.ico",
  "/metrics",
  "/a/../b",
  "/api/v1/../v1/projects",
  "/./",
  "/../../../../etc/passwd",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/.%2e/a",
  "/%2e",
  "//",
  "//x:99999/",
  "//localhost/a",
  "/\\",
  "/\\..\\",
  "/a\\b",
  "/\\\\x",
  "/{",
  "/}",
  "/'",
  "/^",
  "/|",
  "/`",
  '/"',
  "/<>",
  "/?q='",
  "/?'",
  "/?{",
  "/?^",
  "/?",
  "/?#",
  "/#",
  "/#MARK50",
  "/?%",
  "/?%zz=%",
  "/?%ff=%00",
  "/%",
  "/%zz",
  "/%ff%00",
  "/%00",
  "/%2F",
  "/%0d%0aSet-Cookie:%20a=b",
  "/%u0041",
  "/\u00ff",
  utf8("/é\u{1f600}/\u202e"),
  "/\xed\xa0\x80",
  "/\xc0\xaf",
  "/a b",
  "/a\tb",
  "/\x7f",
  "/\x01",
  "/;a=b",
  "/:80",
  "/@",
  "/api/v1/projects/rad:zMARK50",
  "/api/v1/projects/rad:z",
  `/${"a".repeat(20_000)}`,
  `/${"../".repeat(2000)}`,
  `/${"%2e%2e/".repeat(1000)}`,
  `/${"a/".repeat(4000)}`,
  `/?${"&a".repeat(3000)}`,
  `/?${"a=b&".repeat(2500)}`,
];

/** Targets in other forms than that of the origin (RFC 9112, 3.2). */
const FORMS: readonly ((path: string, host: string) => string)[] = [
  (path, host) => `http://${host}${path}`,
  (path, host) => `https://${host}${path}`,
  (path) => `http://user:pass@localhost${path}`,
  (path) => `HTTP://LOCALHOST${path}`,
  (path) => `http:${path}`,
  (path) => path.slice(1),
  (_, host) => host,
  (_, host) => `${host}:443`,
  () => "*",
  () => "",
  () => "http://",
  () => "http:",
  () => "file:///etc/passwd",
  () => "javascript:1",
  () => "data:,",
];

const VERSIONS: readonly string[] = [
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/1.2",
  "HTTP/9.9",
  "HTTP/1.1 ",
  "HTTP/01.1",
  "http/1.1",
  "HTTP/",
  "",
  "FTP/1.1",
];
const LINE_ENDS: readonly string[] = ["\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n"];

/** A target that is odd in some way. */
export function oddTarget(random: Random): string {
  const path = random.one(PATHS);
  return random.isOneIn(4) ? random.one(FORMS)(path, random.one(HOSTS)) : path;
}

/** A line of the head, more or less a field. */
export function oddLine(random: Random): string {
  if (random.isOneIn(4)) return random.one(ODD_LINES);
  const name = random.one(FIELD_NAMES);
  return `${name}: ${random.one(FIELDS[name]!)}`;
}

/**
 * A request of odd parts, some of them good.
 *
 * @param mark Of its connection; answers may repeat it.
 */
export function oddRequest(random: Random, mark: string): string {
  const mostly = (usual: string, odd: () => string) => random.isOneIn(3) ? odd() : usual;
  const hasBody = random.isOneIn(3);
  const body = hasBody ? oddBody(random) : "";
  const draft: Draft = {
    method: random.one(METHODS.slice(0, random.isOneIn(2) ? 5 : METHODS.length)),
    target: oddTarget(random),
    version: mostly("HTTP/1.1", () => random.one(VERSIONS)),
    lines: [
      ...random.isOneIn(20) ? [] : [`Host: ${random.isOneIn(2) ? "localhost" : random.one(HOSTS)}`],
      ...Array.from({ length: random.below(4) }, () => oddLine(random)),
    ],
    body: hasBody && random.isOneIn(4) ? gzipped(body) : body,
    framing: hasBody ? anyFraming(random) : "none",
  };
  const text = bytesOf(draft, mark, random, mostly("\r\n", () => random.one(LINE_ENDS)));
  return random.isOneIn(4) ? damaged(text, random) : text;
}
