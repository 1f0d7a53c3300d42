/** Comparisons with recorded services: every difference of theirs from ours is a documented one. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { after, describe, it } from "node:test";
import { askWithin } from "./answers.ts";
import { compareServices, meet } from "./comparison.ts";
import { reportText, totalOf } from "./report.ts";
import type { HomeOptions } from "../../adapters/home/home.ts";
import { readLines, type Recorded } from "../replay/recordings.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";
import { adapter } from "../adapters/this_runtime.ts";

const LIMITS = { maxBytes: 2 ** 23, seconds: 60 };
/** More than there are questions about any of the homes. */
const REQUESTS = 3000;

interface Case {
  readonly home: string;
  readonly recordings: readonly string[];
  readonly options?: Partial<HomeOptions>;
  /** Answers that are compared at least. */
  readonly least: number;
}

const TODAY: readonly Case[] = [
  {
    home: "today/today-browse.tar.gz",
    recordings: ["general", "shapes", "readmes", "fuzz"].map((part) => `today/x-browse-${part}`),
    least: 200,
  },
  { home: "today/today-collab.tar.gz", recordings: ["today/x-collab"], least: 100 },
];
const ORIGINAL: readonly Case[] = [
  {
    home: "browse.tar.gz",
    recordings: ["general", "shapes", "readmes", "random"].map((part) => `browse-${part}`),
    options: { compatibility: { evaluation: "2024" } },
    least: 100,
  },
  {
    home: "collab.tar.gz",
    recordings: ["collab"],
    options: { compatibility: { evaluation: "2024" } },
    least: 50,
  },
];

const folder = temporaryFolder("compare");
after(() => removeFolder(folder));

/** Answers by path, of requests without anything special. */
function recordedAnswers(recordings: readonly string[]): ReadonlyMap<string, Recorded> {
  const lines = recordings.flatMap((name) => readLines(name) as Recorded[]);
  return new Map(
    lines.filter(({ method, headers }) => method === "GET" && headers === undefined)
      .map((line) => [line.path, line]),
  );
}

function toResponse(
  { status = 0, responseHeaders = {}, body, bodyText, bodyBase64, dropped }: Recorded,
): Response {
  if (dropped) throw new TypeError("fetch failed", { cause: new Error("connection closed") });
  const sent = body !== undefined
    ? JSON.stringify(body)
    : bodyText ?? Buffer.from(bodyBase64 ?? "", "base64");
  return new Response(sent, { status, headers: responseHeaders });
}

async function compare({ home, recordings, options, least }: Case): Promise<void> {
  const recorded = recordedAnswers(recordings);
  const own = await adapter.createHomeApi({ home: unpackHome(home, folder), behindProxy: true, ...options });
  try {
    const send = (answer: (path: string) => Response | Promise<Response>) => (url: string) => {
      const { pathname, search } = new URL(url);
      return Promise.resolve().then(() => answer(pathname + search));
    };
    // What was not recorded is equal.
    const isRecorded = (path: string) => recorded.has(path);
    const missing = () => new Response("{}", { status: 404 });
    let compared = 0;
    const theirs = askWithin(
      "http://recorded",
      send((path) => {
        if (!isRecorded(path)) return missing();
        compared++;
        return toResponse(recorded.get(path)!);
      }),
      LIMITS,
    );
    const ours = askWithin(
      "http://localhost",
      send((path) => isRecorded(path) ? own.api.fetch(new Request(`http://localhost${path}`)) : missing()),
      LIMITS,
    );
    const other = await meet(theirs);
    const { counts } = await compareServices(theirs, ours, {
      dialects: other.dialects,
      requests: REQUESTS,
    });
    const { unexplained } = totalOf(counts);
    assert.equal(unexplained, 0, reportText("http://recorded", other, counts));
    assert.ok(compared >= least, `${compared} answers`);
  } finally {
    await own.close();
  }
}

for (const [name, cases] of [["of today", TODAY], ["of version 1", ORIGINAL]] as const) {
  describe(`a recorded service ${name}`, () => {
    for (const one of cases) {
      it(`differs on ${one.home} as documented`, async () => {
        await compare(one);
      });
    }
  });
}
