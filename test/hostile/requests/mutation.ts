/** Good requests with some things changed. */
import { changedBody } from "./bodies.ts";
import { anyFraming, bytesOf, damaged, type Draft, gzipped, utf8 } from "./draft.ts";
import { FIELD_NAMES, FIELDS, HOSTS } from "./fields.ts";
import type { GoodRequest } from "./good.ts";
import { oddLine, oddTarget } from "./grammar.ts";
import type { Random } from "./random.ts";

/** Values that stand in place of parameters of paths and queries. */
const VALUES: readonly string[] = [
  "",
  "MARK50",
  "-1",
  "0",
  "1e9",
  "18446744073709551615",
  "18446744073709551616",
  "9".repeat(400),
  "0".repeat(40),
  "f".repeat(41),
  ".",
  "..",
  "%2e%2e",
  "%2F",
  "%00",
  "%ff",
  "%",
  "%zz",
  "%25%32%66",
  "{",
  "}",
  "'",
  '"',
  "^",
  "|",
  "\\",
  "*",
  "+",
  "~",
  "@{u}",
  "refs/heads/main",
  "main^{tree}",
  "HEAD~1",
  "--upload-pack=x",
  "rad:",
  "rad:z",
  "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
  `rad:z${"1".repeat(500)}`,
  "did:key:",
  `z${"6Mk".repeat(300)}`,
  "\xff",
  utf8("é\u{1f600}\u202e"),
  "a".repeat(5000),
  "%61".repeat(1500),
];

/** Text that is put into a target at any place. */
const INSERTED: readonly string[] = [
  "/a/../",
  "/./",
  "/../",
  "//",
  "%2f",
  "%5c",
  "\\",
  "\t",
  " ",
  "{",
  "'",
  "^",
  "%",
  "?",
  "&",
  "#",
  ";",
  "=",
  "+",
  "\xe9",
  "%e9",
];

/** One kind of change. */
type Change = (draft: Draft, random: Random, good: GoodRequest) => void;

const CHANGES: readonly Change[] = [
  changeSegment,
  changeSegment,
  changeQuery,
  changeQuery,
  (draft, random) => {
    const at = 1 + random.below(draft.target.length);
    draft.target = draft.target.slice(0, at) + random.one(INSERTED) + draft.target.slice(at);
  },
  (draft, random) => draft.target = `http://${random.one(HOSTS)}${draft.target}`,
  (draft, random) => draft.target = random.isOneIn(8) ? oddTarget(random) : `${draft.target}/`,
  (draft, random) => draft.method = random.one(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
  (draft, random) => draft.lines[0] = `Host: ${random.one(HOSTS)}`,
  (draft, random) => draft.lines.push(oddLine(random)),
  (draft, random) => {
    const name = random.one(FIELD_NAMES);
    draft.lines.push(`${name}: ${random.one(FIELDS[name]!)}`);
  },
  (draft, random) => void draft.lines.splice(random.below(draft.lines.length), 1),
  changeBody,
  changeBody,
  changeBody,
];

/** Numbers of changes of one request: few, so that most of it is understood. */
const COUNTS = [0, 1, 1, 1, 1, 2, 2, 3];

/**
 * A good request with some changes.
 *
 * @param mark Of its connection; answers may repeat it.
 */
export function changedRequest(good: GoodRequest, random: Random, mark: string): string {
  const draft: Draft = { ...good.draft, lines: [...good.draft.lines] };
  const count = random.one(COUNTS);
  for (let i = 0; i < count; i++) random.one(CHANGES)(draft, random, good);
  const text = bytesOf(draft, mark, random);
  return random.isOneIn(10) ? damaged(text, random) : text;
}

function changeSegment(draft: Draft, random: Random): void {
  const [path = "", query] = draft.target.split("?");
  const segments = path.split("/");
  segments[1 + random.below(segments.length - 1)] = random.one(VALUES);
  draft.target = segments.join("/") + (query === undefined ? "" : `?${query}`);
}

function changeQuery(draft: Draft, random: Random, { endpoint }: GoodRequest): void {
  const [path, query = ""] = draft.target.split("?");
  const names = [...Object.keys(endpoint.query?.entries ?? {}), "page", "unknown", "__proto__", ""];
  const pairs = query === "" ? [] : query.split("&");
  pairs.splice(random.below(pairs.length + 1), random.below(3), `${random.one(names)}=${random.one(VALUES)}`);
  draft.target = `${path}?${pairs.join("&")}`;
}

/** Changes a body, its content coding, or the way in which its end is told. */
function changeBody(draft: Draft, random: Random): void {
  if (!random.isOneIn(3)) draft.body = changedBody(draft.body, random);
  draft.framing = random.isOneIn(2) ? "length" : anyFraming(random);
  switch (random.below(5)) {
    case 0:
      draft.lines.push("Content-Encoding: gzip");
      draft.body = gzipped(draft.body);
      break;
    case 1:
      draft.lines.push(`Content-Encoding: ${random.one(FIELDS["content-encoding"]!)}`);
      break;
  }
}
