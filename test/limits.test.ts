/** The limits that docs/limits.md tells are those of the code. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

const ROOT = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");

/** A constant: `file#NAME` or `file#NAME.member`, times `factor`. */
type Source = string | { readonly of: string; readonly factor: number };

/** The numbers of each row, in their order there. */
const ROWS: Readonly<Record<string, readonly Source[]>> = {
  "Request body below `/api/v1/projects` and `/repos`": ["src/http/body.ts#MAX_PROJECT_BODY_BYTES"],
  "Other request bodies": ["src/http/body.ts#MAX_BODY_BYTES"],
  "JSON in a request body": [
    "src/http/body.ts#MAX_JSON_DEPTH",
    "src/http/body.ts#MAX_JSON_VALUES",
  ],
  "Text of a change of an issue or patch": [
    "src/cob/entry/entry.ts#MAX_ACTION_BYTES",
    "src/cob/write/entry_draft.ts#MAX_CHANGE_VALUES",
  ],
  "Changes of an issue or patch": ["src/cob/entry/graph.ts#MAX_ENTRIES"],
  "Crafted signatures of an issue or patch, which no program makes": [
    "src/cob/entry/entry_signature.ts#MAX_EXACT_CHECKS",
  ],
  "Embeds of a text, name of an embed, media type of a data URI": [
    "src/cob/write/embed_files.ts#MAX_EMBEDS",
    "src/cob/write/embed_files.ts#MAX_EMBED_NAME_BYTES",
    "src/text/data_uri.ts#MAX_DATA_HEAD_LENGTH",
  ],
  "Id in multibase": ["src/ids/multibase.ts#MAX_MULTIBASE_LENGTH"],
  "Sign-in message": ["src/session/sign_in_message.ts#MAX_MESSAGE_LENGTH"],
  "Consistency token": [
    "extensions/replicas/origin/consistency_token.ts#MAX_TOKEN_LENGTH",
    "extensions/replicas/origin/consistency_token.ts#TOKEN_LIFETIME_MS",
    "extensions/replicas/origin/consistency_token.ts#TOKEN_CLOCK_SKEW_MS",
    "extensions/replicas/origin/token_key.ts#MIN_TOKEN_KEY_LENGTH",
  ],
  "What a replica says of its client": [
    "extensions/replicas/origin/client_claim.ts#CLAIM_MS",
    "extensions/replicas/origin/client_claim.ts#MAX_CLAIMS",
  ],
  "Reads by token at the origin, of a replica": [
    "extensions/replicas/replica/passed_on.ts#MAX_READS_BY_TOKEN",
  ],
  "Requests that a replica has passed on": [
    "extensions/replicas/origin/forward.ts#MAX_FORWARDED",
    { of: "extensions/replicas/origin/forward.ts#MAX_FORWARDED", factor: 1 / 4 },
  ],
  "Raw file": ["src/routes/raw.ts#MAX_RAW_BYTES", "src/routes/raw.ts#TODAY_MAX_RAW_BYTES"],
  "Archive": [
    "extensions/archives/entries.ts#MAX_ARCHIVE_ENTRIES",
    "extensions/archives/entries.ts#MAX_ARCHIVE_PATH_BYTES",
    "src/git/objects.ts#MAX_BLOB_BYTES",
    "src/routes/archives.ts#MAX_ARCHIVE_MS",
  ],
  "Zip archive": [
    "extensions/archives/zip.ts#MAX_ZIP_ENTRIES",
    "extensions/archives/zip.ts#MAX_ZIP_BYTES",
    "extensions/archives/zip.ts#MAX_ZIP_DIRECTORY_BYTES",
  ],
  "File inside JSON": ["src/views/blob.ts#MAX_SHOWN_BYTES"],
  "File of a diff": [
    "src/git/objects.ts#MAX_BLOB_BYTES",
    "src/diff/file_content.ts#MAX_BLOB_LINES",
    "src/diff/text/hunks.ts#MAX_SHOWN_LINES",
    "src/diff_service/render/diff.ts#MAX_FILE_JSON_BYTES",
    "src/diff/budget.ts#MAX_ENGINE_LINES",
  ],
  "Diff": [
    "src/diff/tree_comparison.ts#MAX_CHANGES",
    "src/diff/budget.ts#MAX_TREE_BYTES",
    "src/diff/budget.ts#MAX_DIFF_BYTES",
    "src/diff/budget.ts#MAX_RENAME_BYTES",
    "src/diff/budget.ts#MAX_RENAME_PIECES",
    "src/diff/budget.ts#MAX_ENGINE_BYTES",
  ],
  "Moved and copied files": [
    "src/diff/libgit2/scratch_repository.ts#MAX_RENAME_SOURCES",
    "src/diff/renames/pairing.ts#MAX_PAIRS_OF_LIBGIT2",
  ],
  "Time for a diff": [
    "src/diff_service/worker/pool.ts#JOB_LIMIT_MS",
    "src/diff_service/parts.ts#PARTS_LIMIT_MS",
  ],
  "Diffs in the queue": [
    "src/diff_service/worker/pool.ts#MAX_WAITING_JOBS",
    "src/diff_service/worker/pool.ts#DEFAULT_WORKERS",
    "src/diff_service/in_thread.ts#MAX_IN_THREAD",
    "src/diff_service/in_thread.ts#MAX_WAITING_IN_THREAD",
  ],
  "History": ["src/git/commit_loader.ts#MAX_INDEXED_COMMITS"],
  "History of a path": [
    "src/git/path_history.ts#MAX_PATH_WORK",
    "src/git/path_history.ts#MIN_TREE_COST",
    "src/browse/renames.ts#MAX_FOLLOWED_RENAMES",
  ],
  "Activity": [{ of: "src/routes/commits.ts#ACTIVITY_WINDOW_SECONDS", factor: 1 / (7 * 86_400_000) }],
  "Object in a repository": [
    ...["commit", "tree", "blob", "tag"].map((kind) => `src/git/objects.ts#OBJECT_LIMITS.${kind}`),
    "src/storage/home/pack.ts#MAX_DELTA_CHAIN",
    "src/storage/home/pack.ts#MAX_WORK_FACTOR",
    { of: "src/storage/home/pack.ts#MIN_WORK_SIZE", factor: 64 },
  ],
  "Tags of tags": ["src/git/tags.ts#MAX_TAG_CHAIN"],
  "Shallow commits": ["src/storage/home/shallow_file.ts#MAX_SHALLOW_BYTES"],
  "Identity document": ["src/identity/doc_json.ts#MAX_DOC_BYTES", "src/identity/doc_json.ts#MAX_DOC_VALUES"],
  "Signed references": [
    "src/identity/sigrefs_walk.ts#MAX_JUDGED_COMMITS",
    "src/identity/sigrefs_walk.ts#MAX_JUDGED_BYTES",
  ],
  "Entry of an issue or patch": ["src/cob/entry/entry.ts#MAX_ACTION_BYTES"],
  "Text of an issue or patch": [
    "src/cob/evaluation/text_budget.ts#OBJECT_TEXT_BYTES",
    "src/cob/evaluation/text_budget.ts#ITEM_BYTES",
    "src/views/whole_texts.ts#READ_AGAIN_BYTES",
    "src/cob/evaluation/text_budget.ts#TRUNCATED_UNITS",
  ],
  "Text in a list of issues or patches": [
    "src/cob/evaluation/object_lists.ts#LIST_TEXT_BYTES",
    "src/cob/evaluation/object_lists.ts#LONG_OBJECTS_BYTES",
    "src/cob/evaluation/object_lists.ts#LONG_OBJECT_BYTES",
    "src/cob/evaluation/text_budget.ts#TRUNCATED_TAGS",
  ],
  "Query of a search": [
    "extensions/search/words.ts#MAX_QUERY_CHARACTERS",
    "extensions/search/words.ts#MAX_QUERY_WORDS",
  ],
  "Expensive requests of a client": [
    "adapters/operation/client_share.ts#CLIENT_RATE",
    "adapters/operation/client_share.ts#BURST_SECONDS",
    "adapters/operation/client_share.ts#REQUEST_MS",
    "adapters/operation/client_share.ts#MAX_DEBT_SECONDS",
    "adapters/operation/client_share.ts#TOGETHER_FACTOR",
    "adapters/operation/load.ts#LATE_MS",
  ],
  "Page of a search": ["src/routes/search.ts#MAX_FOUND_PER_PAGE"],
  "Page of a list of `/repos`": ["src/routes/projects.ts#MAX_PER_PAGE"],
  "Searches": [
    "extensions/search/search.ts#MAX_SEARCHES",
    "extensions/search/search.ts#MAX_SEARCHES_OF_CLIENT",
  ],
  "Time of a search": [
    "extensions/search/query.ts#MAX_QUERY_MS",
    "adapters/node/search_database.ts#LOOK_TEXTS",
    "adapters/node/search_database.ts#LOOK_BYTES",
  ],
  "Found texts on pages": ["extensions/search/query.ts#MAX_RANKED"],
  "Searched texts": [
    "extensions/search/texts.ts#MAX_OBJECT_BYTES",
    "adapters/node/search_database.ts#FILE_LIMITS.repositoryBytes",
    "adapters/node/search_database.ts#FILE_LIMITS.repositoryTexts",
  ],
  "Listeners to live changes": [
    "extensions/events/log.ts#DEFAULT_MAX_READERS",
    "extensions/events/live_changes.ts#MAX_READERS_OF_PEER",
  ],
  "Live changes that are remembered": [
    "extensions/events/log.ts#MAX_EVENTS",
    "extensions/events/log.ts#MAX_LOG_LENGTH",
    "extensions/events/log.ts#MAX_SAVED_LENGTH",
  ],
  "Live changes of one look at a repository": [
    "extensions/events/moved_references.ts#MAX_MOVED",
    "extensions/events/watcher.ts#MAX_OBJECTS",
    "extensions/events/log.ts#MAX_EVENT_LENGTH",
    "extensions/events/watcher.ts#MAX_TITLE_LENGTH",
  ],
  "Inventory, policies": ["src/seeding/routing.ts#MAX_INVENTORY", "src/seeding/policy.ts#MAX_POLICIES"],
  "Request of git": ["src/contract/traits.ts#MAX_GIT_REQUEST_BYTES", "extensions/git/pkt_line.ts#MAX_FRAMES"],
  "Lines in a request of git": [
    "extensions/git/upload_request.ts#MAX_SHALLOW",
    "extensions/git/upload_request.ts#MAX_EXCLUDED_REFS",
    "extensions/git/upload_request.ts#MAX_FILTER_LENGTH",
  ],
  "Objects that a client of git has": ["extensions/git/upload_request.ts#MAX_HAVES"],
  "Prefixes of references in a request of git": ["extensions/git/upload_request.ts#MAX_REF_PREFIXES"],
  "Processes of git": [
    "extensions/git/home_git_program.ts#MAX_GIT_PROCESSES.packs",
    "extensions/git/home_git_program.ts#MAX_GIT_PROCESSES.fetches",
    "extensions/git/home_git_program.ts#MAX_START_BYTES.fetches",
    "extensions/git/home_git_program.ts#SMALL_FETCH_MS",
    "extensions/git/home_git_program.ts#MAX_GIT_PROCESSES.references",
    "extensions/git/home_git_program.ts#MAX_GIT_PROCESSES.walks",
    "extensions/git/home_git_program.ts#LAG_MS",
    "extensions/git/home_git_program.ts#MIN_TAKEN_PER_SECOND",
  ],
  "Requests that wait for a process of git": [
    "extensions/git/home_git_program.ts#MAX_WAITING_FOR_GIT",
    "extensions/git/home_git_program.ts#GIT_WAIT_MS",
  ],
  "Time of a process of git": ["extensions/git/home_git_program.ts#MAX_GIT_MS"],
  "Session": [
    "src/session/sessions.ts#UNAUTHORIZED_LIFETIME_MS",
    "src/session/sessions.ts#AUTHORIZED_LIFETIME_MS",
    "src/session/memory_table.ts#MAX_AUTHORIZED_SESSIONS",
  ],
  "Sign-ins that wait": [
    "src/session/memory_table.ts#MAX_UNAUTHORIZED_SESSIONS",
    "src/session/memory_table.ts#MAX_WAITING_OF_CLIENT",
    "src/session/memory_table.ts#MAX_WAITING_TOGETHER",
    "src/session/memory_table.ts#MAX_WAITING.foreignPage",
    "src/session/memory_table.ts#MAX_WAITING.owner",
    "src/session/memory_table.ts#MAX_WAITING.key",
  ],
  "Proof of the node's key": [
    "src/session/owner_proof.ts#OWNER_PROOF_MS",
    "src/session/owner_proof.ts#MAX_PROOFS",
  ],
  "Watched for live changes": [
    "extensions/events/moved_references.ts#MAX_WATCHED",
    "extensions/events/moved_references.ts#MAX_REFERENCES_OF_ALL",
    "extensions/events/moved_references.ts#MAX_REFERENCES_OF_ONE",
    "extensions/events/live_changes.ts#LINGER_MS",
    "extensions/events/watcher.ts#ASKED_IN_A_LOOK",
  ],
  "Clients whose share is remembered": ["adapters/operation/client_share.ts#MAX_CLIENTS"],
  "Lines that wait for a slow reader of the log": [
    "adapters/operation/line_writer.ts#MAX_WAITING_CHARACTERS",
  ],
  "Connections of those who ask for metrics": [
    "adapters/operation/metrics.ts#MAX_METRICS_CONNECTIONS",
  ],
  "`/robots.txt` of the operator": ["adapters/cli/service.ts#MAX_ROBOTS_BYTES"],
  "Connections": ["adapters/server/connections.ts#MAX_CONNECTIONS"],
  "Time of a connection": [
    "adapters/server/connections.ts#HEAD_SECONDS",
    "adapters/server/connections.ts#REQUEST_SECONDS",
    "adapters/server/connections.ts#IDLE_SECONDS",
    "adapters/server/connections.ts#TAKE_SECONDS",
    "adapters/server/connections.ts#MIN_TAKEN_BYTES",
  ],
  "Pipelined requests": ["adapters/server/connections.ts#MAX_PIPELINED"],
  "Large answers": [
    "adapters/server/answers.ts#MAX_ANSWER_BYTES",
    "adapters/server/answers.ts#STALL_MS",
    "adapters/server/answers.ts#WAIT_MS",
  ],
  "Request bodies arriving": ["src/http/receive_body.ts#MAX_ARRIVING_BYTES"],
  "Diffs in memory until read": ["src/diff_service/parts.ts#MAX_BYTES_UNDER_WAY"],
  "Caches": ["src/cache/memory.ts#DEFAULT_MEMORY_BYTES"],
  "Cached answers": ["src/cache/caches.ts#SHARED_CACHES.answers.bytes"],
  "Cache folder": [
    "adapters/node/cache_folder.ts#MAX_CACHE_BYTES",
    "adapters/node/cache_folder.ts#MAX_CACHE_FILES",
    "src/git/saved_index.ts#MAX_SAVED_BYTES",
    "adapters/node/compile_cache.ts#MAX_COMPILE_CACHE_BYTES",
    { of: "adapters/node/cache_folder.ts#MAX_CACHE_BYTES", factor: 1 / 16 },
  ],
  "Search index": [
    { of: "adapters/node/search_database.ts#FILE_LIMITS.fileBytes", factor: 1 / 3 },
    "adapters/node/search_database.ts#MAX_TEXTS",
    "adapters/node/search_database.ts#FILE_LIMITS.fileBytes",
    "adapters/node/search_database.ts#SEARCH_MEMORY_BYTES",
    "adapters/node/search_database.ts#MEMORY_LIMITS.public.repositoryBytes",
    "adapters/node/search_database.ts#MEMORY_LIMITS.private.repositoryBytes",
  ],
  "Store of sessions": [
    "adapters/node/session_store.ts#STEP_MS",
    "adapters/node/session_store.ts#MAX_STEPS",
    "adapters/node/session_file.ts#MAX_BUSY_MS",
    "src/session/checked_table.ts#TABLE_TIMEOUT_MS",
  ],
  "Stored session": ["src/session/stored_session.ts#MAX_STORED_LENGTH"],
  "Changes that a replica remembers": [
    "extensions/replicas/origin/awaited_changes.ts#MAX_CATCHING_UP",
    "extensions/replicas/origin/awaited_changes.ts#MAX_CATCH_UP_MS",
  ],
  "Bytes of a bucket that are being saved in the folder": [
    "extensions/replicas/storage/reads.ts#MAX_SAVED_AT_ONCE_BYTES",
    "extensions/replicas/storage/reads.ts#SAVE_BYTES",
  ],
  "Age of what a replica shows": ["extensions/replicas/storage/fresh_document.ts#MAX_DENIED_AGE_MS"],
  "Publishing": [
    "extensions/replicas/publisher/publisher.ts#PUBLISHED_AT_ONCE",
    "extensions/replicas/publisher/pack_sender.ts#LARGE_WORK_BYTES",
    "extensions/replicas/publisher/pack_sender.ts#PACK_LIMIT_BYTES",
    "src/cache/caches.ts#FIXED_CACHES.knownObjects.bytes",
  ],
  "Lease of a publisher": ["extensions/replicas/publisher/lease.ts#LEASE_MS"],
  "Latest changes in a bucket": [
    "extensions/replicas/format/recent_changes.ts#MAX_RECENT_CHANGES",
    "extensions/replicas/format/recent_changes.ts#MAX_RECENT_BYTES",
    "extensions/replicas/publisher/recent_changes_writer.ts#RECENT_PUT_MS",
  ],
  "Requests": ["adapters/cli/beside/limits.ts#DEFAULT_REQUESTS"],
  "Compared answer": [
    "adapters/cli/beside/limits.ts#MAX_COMPARED_BYTES",
    "adapters/cli/beside/limits.ts#ANSWER_SECONDS",
    "adapters/cli/beside/limits.ts#MAX_COMPARED_DEPTH",
    "adapters/cli/beside/limits.ts#MAX_COMPARED_VALUES",
  ],
  "Differences": ["adapters/cli/beside/limits.ts#MAX_DIFFERENCES"],
  "Failing service": ["adapters/cli/beside/limits.ts#MAX_UNANSWERED"],
  "Highlighted text": [
    "extensions/page/blocks.ts#MAX_HIGHLIGHTED_LENGTH",
    "extensions/page/worker/highlight.ts#MAX_TOKENS",
  ],
  "Text drawn as markdown": [
    "extensions/page/blocks.ts#MAX_MARKDOWN_LENGTH",
    "extensions/page/worker/markdown.ts#MAX_HTML_LENGTH",
    "extensions/page/worker/markdown.ts#MAX_LINES",
    "extensions/page/worker/markdown.ts#MAX_ELEMENTS",
    "extensions/page/markdown.ts#MAX_DEPTH",
    "extensions/page/worker/markdown.ts#MAX_TAG_LENGTH",
    "extensions/page/markdown_view.tsx#MAX_PICTURES",
  ],
  "Time to draw or highlight a text": [
    "extensions/page/block_worker.ts#CALL_LIMIT_MS",
    "extensions/page/block_worker.ts#MAX_ENDED_CALLS",
  ],
  "Start of the page's worker": ["extensions/page/block_worker.ts#START_LIMIT_MS"],
  "Cached drawn and highlighted texts": [
    "extensions/page/blocks.ts#MAX_CACHED_WEIGHT",
    "extensions/page/blocks.ts#TOKEN_WEIGHT",
  ],
  "Items of a list, lines of a file": ["extensions/page/lists.tsx#MAX_ROWS"],
  "Text that is shown as it is": [
    "extensions/page/plain_text.ts#MAX_TEXT_PARTS",
    "extensions/page/plain_text.ts#LINES_AT_ONCE",
    "extensions/page/plain_text.ts#TEXT_AT_ONCE",
    "extensions/page/plain_text.ts#MAX_LINE_LENGTH",
  ],
  "Path whose folders are links": ["extensions/page/parts.tsx#MAX_LINKED_PATH"],
  "Picture that is drawn": ["extensions/page/pictures.ts#MAX_PICTURE_BYTES"],
  "Files attached to a text": ["extensions/page/writing.tsx#MAX_EMBEDDED_BYTES"],
  "Open diffs": ["extensions/page/changes.tsx#FOLDED_ROWS", "extensions/page/changes.tsx#OPEN_ROWS"],
  "Answer shown in the reference": ["extensions/page/reference/try_it.tsx#MAX_SHOWN_BYTES"],
  "Remembered by a tab": [
    "extensions/page/answers.ts#MAX_CACHED",
    "extensions/page/session.ts#MAX_CONSISTENCY_TOKENS",
  ],
  "Service that cannot be reached": ["extensions/page/answers.ts#RETRY_MS"],
};

/** Values of units: bytes, or milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
};

/** Numbers in a text, in bytes or milliseconds where they have such a unit. Code and links do not count. */
function numbersIn(text: string): number[] {
  const plain = text.replace(/`[^`]*`|\([^)]*\)|\[[^\]]*\]|libgit2/g, "");
  return [...plain.matchAll(/\d[\d,]*(?:\.\d+)?(?:\s(KiB|MiB|GiB|s|min|h)\b)?/g)].map(([number, unit]) =>
    Number(number.replaceAll(",", "").split(/\s/)[0]) * (unit === undefined ? 1 : UNITS[unit]!)
  );
}

/** The value of a constant; times in milliseconds. */
async function valueOf(source: Source): Promise<number> {
  const { of, factor } = typeof source === "string" ? { of: source, factor: 1 } : source;
  const [path, members] = of.split("#") as [string, string];
  const [name, ...rest] = members.split(".") as [string, ...string[]];
  // The page runs in browsers alone.
  const exported: Record<string, unknown> = path.startsWith("extensions/page/")
    ? {}
    : await import(new URL(path, ROOT).href);
  const value = rest.reduce<unknown>(
    (value, member) => (value as Record<string, unknown>)[member],
    name in exported ? exported[name] : privateConstant(path, name),
  );
  assert.equal(typeof value, "number", `${of} is no number`);
  const inUnit = name.endsWith("_SECONDS") ? 1000 : 1;
  return Number((Number(value) * inUnit * factor).toPrecision(12));
}

/** The value of a constant that cannot be imported: digits and operators alone. */
function privateConstant(path: string, name: string): number {
  const [, text] =
    new RegExp(`^(?:export )?const ${name}(?:: number)? = ([\\d_.\\s*+/()-]+);`, "m").exec(read(path)) ??
      [];
  assert.ok(text !== undefined, `${path} has no constant ${name}`);
  return Number(new Function(`return ${text}`)());
}

describe("docs/limits.md", () => {
  const rows = read("docs/limits.md").split("\n").filter((line) => /^\| (?!Limit |-)/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));

  it("tells the limits that are compared, and no others", () => {
    assert.deepEqual(rows.map(([, limit]) => limit!), Object.keys(ROWS));
  });

  for (const [, limit, value, beyond] of rows) {
    it(`tells the limit of "${limit}" as the code has it`, async () => {
      const values = await Promise.all((ROWS[limit!] ?? []).map(valueOf));
      const told = [...numbersIn(value!), ...numbersIn(beyond!.replace(/\b[45]\d\d\b/g, ""))];
      assert.deepEqual(told, values);
    });
  }
});

/** Constants of formats, of protocols and of other programs, which do not change when the code does. */
const FIXED: ReadonlySet<string> = new Set([
  "DEMO_EDITION",
  "PACK_VERSION",
  "PUBLISHED_FORMAT",
  "SECRET_KEY_BYTES",
]);
/** Most test files that import a number by which the code is tuned. Lower it; a test of a limit has its row above. */
const MOST_TUNED = 55;

/** Numbers that a module exports, by their text. */
function exportedNumbers(source: string): Set<string> {
  return new Set(
    [...source.matchAll(/^export const (?:([A-Z][A-Z0-9_]*)(?:: [^=]+)? = [\d(-]|\[([A-Z0-9_, ]+)\])/gm)]
      .flatMap(([, name, names]) => name ?? names!.split(", ")),
  );
}

describe("tests", () => {
  it(`of at most ${MOST_TUNED} files import numbers that are no limits of docs/limits.md`, () => {
    const limits = JSON.stringify(ROWS);
    const tests = readdirSync(new URL("test/", ROOT), { recursive: true, encoding: "utf8" })
      .map((name) => `test/${name.replaceAll("\\", "/")}`).filter((path) => path.endsWith(".test.ts"));
    const tuned = tests.filter((path) => {
      const imports = read(path).matchAll(/^import \{([^}]*)\} from "([./]+\/(?:src|adapters)\/[^"]+)";/gm);
      return [...imports].some(([, names, module]) => {
        const { pathname } = new URL(module!, new URL(path, "file:///"));
        const numbers = exportedNumbers(read(pathname.slice(1)));
        return names!.split(",").map((name) => name.trim())
          .some((name) => numbers.has(name) && !FIXED.has(name) && !limits.includes(`#${name}"`));
      });
    });
    assert.ok(tuned.length <= MOST_TUNED, `${tuned.length} files: ${tuned.join(" ")}`);
  });
});
