/** The limits that `docs/limits.md` shows: their places in the code, and the effect of exceeding them. */

/** A limit: `file#CONSTANT` or `file#CONSTANT.member`, or an object with further properties. */
export type Limit = string | {
  readonly of: string;
  /** Meaning to show instead of the comment of the constant. */
  readonly says: string;
  /** The shown value is the constant times this number. */
  readonly factor?: number;
  /** Unit to show instead of the unit in the constant's name. */
  readonly unit?: string;
};

/** Limits that belong together. */
export interface Topic {
  readonly title: string;
  /** The effect of exceeding these limits. */
  readonly beyond: string;
  readonly limits: readonly Limit[];
}

export interface Chapter {
  readonly title: string;
  readonly text: string;
  readonly topics: readonly Topic[];
}

const GIT = "extensions/git/home_git_program.ts";
const WAITING = "src/session/memory_table.ts#MAX_WAITING";
const SEARCH = "adapters/node/search_database.ts";

export const CHAPTERS: readonly Chapter[] = [
  {
    title: "Requests and answers",
    text: "Numbers such as 413 are statuses. Answers with 429 and 503 have `Retry-After`. A client may ask " +
      "for pages of any length, except where a limit is listed here.",
    topics: [
      {
        title: "Request bodies",
        beyond: "413; for JSON that is nested too deeply or has too many values 400. While too many bodies " +
          "arrive, the oldest one is refused with 503.",
        limits: [
          "src/http/body.ts#MAX_PROJECT_BODY_BYTES",
          "src/http/body.ts#MAX_BODY_BYTES",
          "src/http/body.ts#MAX_JSON_DEPTH",
          "src/http/body.ts#MAX_JSON_VALUES",
          "src/http/receive_body.ts#MAX_ARRIVING_BYTES",
        ],
      },
      {
        title: "Ids and messages",
        beyond: "400",
        limits: [
          "src/ids/multibase.ts#MAX_MULTIBASE_LENGTH",
          "src/session/sign_in_message.ts#MAX_MESSAGE_LENGTH",
        ],
      },
      {
        title: "Changes of an issue or patch",
        beyond:
          "413 for a long text or too many values, 409 for too many entries. A crafted signature beyond " +
          "the limit does not verify, so its entry does not count.",
        limits: [
          "src/cob/entry/entry.ts#MAX_ACTION_BYTES",
          "src/cob/write/entry_draft.ts#MAX_CHANGE_VALUES",
          "src/cob/entry/graph.ts#MAX_ENTRIES",
          "src/cob/entry/entry_signature.ts#MAX_EXACT_CHECKS",
        ],
      },
      {
        title: "Embeds",
        beyond: "422.",
        limits: [
          "src/cob/write/embed_files.ts#MAX_EMBEDS",
          "src/cob/write/embed_files.ts#MAX_EMBED_NAME_BYTES",
          {
            of: "src/text/data_uri.ts#MAX_DATA_HEAD_LENGTH",
            says:
              "Maximum length of the media type and its parameters in a data URI, which is the text before the comma",
          },
        ],
      },
      {
        title: "Texts of issues and patches",
        beyond:
          'A long text is cut, with `"truncated": true` there and on the whole object. All entries still ' +
          "count.",
        limits: [
          {
            of: "src/cob/evaluation/text_budget.ts#OBJECT_TEXTS.bytes",
            unit: "bytes",
            says: "Texts of an object by its author and the delegates, and as many by everybody else",
          },
          "src/cob/evaluation/text_budget.ts#ITEM_BYTES",
          "src/cob/evaluation/text_budget.ts#CUT_UNITS",
          {
            of: "src/cob/evaluation/object_lists.ts#LIST_TEXT_BYTES",
            says: "Texts of all objects in a list. Texts of further objects are cut",
          },
          "src/cob/evaluation/object_lists.ts#LONG_OBJECTS_BYTES",
          {
            of: "src/cob/evaluation/text_budget.ts#LISTED_TEXTS.bytes",
            unit: "bytes",
            says: "Texts of each further object in a list",
          },
          {
            of: "src/cob/evaluation/text_budget.ts#LISTED_TEXTS.tags",
            says: "Labels and assignees of such an object",
          },
        ],
      },
      {
        title: "Files",
        beyond:
          'A raw file or a file in JSON: 413. In `files` of a diff: `"truncated": true`, without content.',
        limits: [
          "src/routes/raw.ts#MAX_RAW_BYTES",
          "src/routes/raw.ts#TODAY_MAX_RAW_BYTES",
          "src/views/blob.ts#MAX_SHOWN_BYTES",
        ],
      },
      {
        title: "Archives",
        beyond: "413; an archive that takes too long breaks off.",
        limits: [
          "extensions/archives/entries.ts#MAX_ARCHIVE_ENTRIES",
          {
            of: "extensions/archives/entries.ts#MAX_ARCHIVE_PATH_BYTES",
            says: "Maximum length of a path, and of the target of a link",
          },
          { of: "src/git/objects.ts#MAX_BLOB_BYTES", says: "Maximum size of a file in an archive" },
          "extensions/archives/routes.ts#MAX_ARCHIVE_MS",
          "extensions/archives/zip.ts#MAX_ZIP_ENTRIES",
          "extensions/archives/zip.ts#MAX_ZIP_BYTES",
          {
            of: "extensions/archives/zip.ts#MAX_ZIP_DIRECTORY_BYTES",
            says: "Maximum size of the directory at the end of a zip archive, which has all paths",
          },
        ],
      },
      {
        title: "One file of a diff",
        beyond: '`"truncated": true` in its `diff`, without hunks.',
        limits: [
          { of: "src/git/objects.ts#MAX_BLOB_BYTES", says: "Maximum size of a file that is compared" },
          "src/diff/file_content.ts#MAX_BLOB_LINES",
          "src/diff/text/hunks.ts#MAX_SHOWN_LINES",
          "src/diff_service/render/diff.ts#MAX_FILE_JSON_BYTES",
          {
            of: "src/diff/budget.ts#MAX_ENGINE_LINES",
            says:
              "Maximum number of lines of a text that libgit2 compares, because its versions differ too much",
          },
        ],
      },
      {
        title: "A whole diff",
        beyond: '413; on a page of history `"diff": null, "truncated": true`.',
        limits: [
          "src/diff/tree_comparison.ts#MAX_CHANGES",
          "src/diff/budget.ts#MAX_TREE_BYTES",
          "src/diff/budget.ts#MAX_DIFF_BYTES",
          "src/diff/budget.ts#MAX_RENAME_BYTES",
          {
            of: "src/diff/budget.ts#MAX_RENAME_PIECES",
            says:
              "Maximum number of distinct lines of the old files, or of the added files, that are compared to find moved files",
          },
          "src/diff/budget.ts#MAX_ENGINE_BYTES",
        ],
      },
      {
        title: "Moved and copied files",
        beyond:
          "With more pairs, each added file is paired with the most similar of all old files. Moved files that are not " +
          "compared are not found.",
        limits: [
          "src/diff/libgit2/scratch_repository.ts#MAX_RENAME_SOURCES",
          "src/diff/renames/pairing.ts#MAX_PAIRS_OF_LIBGIT2",
        ],
      },
      {
        title: "Time and memory for diffs",
        beyond:
          'A full queue or a diff that takes too long: 503, on a page of history `"diff": null`; in the ' +
          "middle of an answer the connection is closed. A diff goes on when clients have read more of it.",
        limits: [
          {
            of: "src/diff_service/worker/pool.ts#JOB_LIMIT_MS",
            says: "Timeout for the first part of a diff in a worker, and for each further part",
          },
          {
            of: "src/diff_service/parts.ts#PARTS_LIMIT_MS",
            says: "Timeout for all parts of one response, without the time that its client takes to read it",
          },
          "src/diff_service/worker/pool.ts#MAX_WAITING_JOBS",
          {
            of: "src/diff_service/worker/pool.ts#DEFAULT_WORKERS",
            says: "Workers; one more runs for repositories and clients without a running diff",
          },
          {
            of: "src/diff_service/in_thread.ts#MAX_IN_THREAD",
            says: "Diffs that the thread of the service makes at a time",
          },
          {
            of: "src/diff_service/in_thread.ts#MAX_WAITING_IN_THREAD",
            says: "Diffs that wait for the thread of the service",
          },
          {
            of: "src/diff_service/parts.ts#MAX_BYTES_UNDER_WAY",
            says: "Parts of diffs that clients have not read yet, in all answers together",
            unit: "bytes",
          },
        ],
      },
      {
        title: "Histories",
        beyond:
          "413. While the lists of changed paths are being made, a history of a path is 503. Commits before " +
          "the 52 weeks of the activity, and renames beyond the limit, are left out.",
        limits: [
          {
            of: "src/git/commit_loader.ts#MAX_INDEXED_COMMITS",
            says: "Maximum number of commits of a history",
          },
          {
            of: "src/git/path_history.ts#MAX_PATH_WORK",
            says: "Trees that are read for the history of one path",
            unit: "bytes",
          },
          {
            of: "src/git/path_history.ts#MIN_TREE_COST",
            says: "Number of bytes that a small tree counts as",
            unit: "bytes",
          },
          {
            of: "src/browse/renames.ts#MAX_FOLLOWED_RENAMES",
            says: "Renames that the history of a file follows",
          },
          {
            of: "src/routes/commits.ts#ACTIVITY_WINDOW_SECONDS",
            says: "Period that the activity covers",
            factor: 1 / (7 * 86_400),
            unit: "weeks",
          },
        ],
      },
      {
        title: "Objects in a repository",
        beyond:
          "413 if the object is requested; lists leave it out. A longer chain of tags points to no commit.",
        limits: [
          ...["commit", "tree", "blob", "tag"].map((kind) => ({
            of: `src/git/objects.ts#OBJECT_LIMITS.${kind}`,
            says: `Largest ${kind}`,
            unit: "bytes",
          })),
          "src/git/pack/pack.ts#MAX_DELTA_CHAIN",
          {
            of: "src/git/pack/pack.ts#MAX_WORK_FACTOR",
            says:
              "Maximum number of bytes that are decompressed and produced for one object, as a multiple of its size",
          },
          {
            of: "src/git/pack/pack.ts#MIN_WORK_SIZE",
            says: "Work that is allowed for every object, however small",
            factor: 64,
            unit: "bytes",
          },
          { of: "src/git/tags.ts#MAX_TAG_CHAIN", says: "Tags of tags in a chain" },
          { of: "src/storage/home/shallow_file.ts#MAX_SHALLOW_BYTES", says: "Size of git's file `shallow`" },
        ],
      },
      {
        title: "Git's commit graph",
        beyond: "The graph is not used, and a line in the log says so. The commits are read instead.",
        limits: [
          {
            of: "src/git/commit_graph_file.ts#MAX_GRAPH_BYTES",
            says: "Size of all files of a graph, filters of paths included",
          },
          { of: "src/git/commit_graph_file.ts#MAX_GRAPH_FILES", says: "Files of a chain" },
          {
            of: "src/git/commit_graph_file.ts#MAX_EDGES",
            says: "Further parents of commits with more than two",
          },
        ],
      },
      {
        title: "Identity documents and signed references",
        beyond:
          "A larger document counts as damaged. A node with a longer history of signed references is not " +
          "shown, and the log says so.",
        limits: [
          "src/identity/doc_json.ts#MAX_DOC_BYTES",
          "src/identity/doc_json.ts#MAX_DOC_VALUES",
          {
            of: "src/identity/sigrefs_walk.ts#MAX_JUDGED_COMMITS",
            says: "Commits in a history of signed references below level `parent`",
          },
          {
            of: "src/identity/sigrefs_walk.ts#MAX_JUDGED_BYTES",
            says: "Size of all lists in such a history together",
          },
        ],
      },
      {
        title: "Pages, inventories and policies",
        beyond: "Further ones are left out.",
        limits: [
          { of: "extensions/search/routes.ts#MAX_FOUND_PER_PAGE", says: "Items on a page of a search" },
          { of: "src/routes/projects.ts#MAX_PER_PAGE", says: "Items on a page of `/repos`" },
          "src/seeding/routing.ts#MAX_INVENTORY",
          "src/seeding/policy.ts#MAX_POLICIES",
        ],
      },
      {
        title: "Searches",
        beyond:
          "A longer query is 400, a further search 503. Further words do not count. Texts that were not searched " +
          "in time are left out, without `X-Total-Count`. Texts beyond the limits cannot be found.",
        limits: [
          "extensions/search/words.ts#MAX_QUERY_CHARACTERS",
          "extensions/search/words.ts#MAX_QUERY_WORDS",
          "extensions/search/search.ts#MAX_SEARCHES",
          {
            of: "extensions/search/search.ts#MAX_SEARCHES_OF_CLIENT",
            says: "Searches of one client at a time",
          },
          "extensions/search/query.ts#MAX_QUERY_MS",
          {
            of: `${SEARCH}#SCAN_TEXTS`,
            says: "Texts that a search reads before another client has its turn",
          },
          {
            of: `${SEARCH}#SCAN_BYTES`,
            says: "Maximum size of these texts, divided by the number of words",
          },
          "extensions/search/query.ts#MAX_RANKED",
          "extensions/search/texts.ts#MAX_OBJECT_BYTES",
          {
            of: `${SEARCH}#FILE_LIMITS.repositoryBytes`,
            says: "Texts of one repository",
            unit: "bytes",
          },
          { of: `${SEARCH}#FILE_LIMITS.repositoryTexts`, says: "Number of texts of one repository" },
        ],
      },
      {
        title: "Live changes",
        beyond:
          "A further reader gets 503. Events that the log has dropped, and changes beyond the limits, become a " +
          "`reset`; a longer title is cut.",
        limits: [
          {
            of: "extensions/events/places.ts#DEFAULT_MAX_READERS",
            says:
              "Readers at a time (`--max-event-readers`), and never more than a quarter of the file descriptors",
          },
          "extensions/events/places.ts#MAX_READERS_OF_PEER",
          {
            of: "extensions/events/log.ts#MAX_EVENTS",
            says: "Events in the log: as many for the public, and as many for the owner of the node",
          },
          {
            of: "extensions/events/log.ts#MAX_LOG_BYTES",
            says: "Size of these events",
          },
          "extensions/events/log.ts#MAX_EVENT_LENGTH",
          "extensions/events/moved_references.ts#MAX_MOVED",
          "extensions/events/watcher.ts#MAX_OBJECTS",
          "extensions/events/watcher.ts#MAX_TITLE_LENGTH",
          "extensions/events/moved_references.ts#MAX_WATCHED",
          {
            of: "extensions/events/moved_references.ts#MAX_REFERENCES_OF_ALL",
            says: "References that are watched, of all repositories together",
          },
          {
            of: "extensions/events/moved_references.ts#MAX_REFERENCES_OF_ONE",
            says: "References that are watched, of one repository",
          },
          "extensions/events/live_changes.ts#LINGER_MS",
          {
            of: "extensions/events/due_repositories.ts#READS_IN_A_CHECK",
            says: "Repositories of a bucket that a replica checks at a time",
          },
        ],
      },
      {
        title: "Requests of git",
        beyond:
          "413. Objects that the client has beyond the limit are not looked up. With more prefixes the " +
          "answer lists all references.",
        limits: [
          "extensions/git/request.ts#MAX_GIT_REQUEST_BYTES",
          "extensions/git/pkt_line.ts#MAX_FRAMES",
          "extensions/git/upload_request.ts#MAX_SHALLOW",
          "extensions/git/upload_request.ts#MAX_EXCLUDED_REFS",
          "extensions/git/upload_request.ts#MAX_FILTER_LENGTH",
          "extensions/git/upload_request.ts#MAX_HAVES",
          "extensions/git/upload_request.ts#MAX_REF_PREFIXES",
        ],
      },
      {
        title: "Processes of git",
        beyond: "The request waits. One client with an address gets at most half of the processes. While a " +
          "request waits, packs whose clients read too slowly are stopped. After the wait, or with a full queue, 503. " +
          "A process that takes too long is stopped, which cuts off its answer.",
        limits: [
          { of: `${GIT}#MAX_GIT_PROCESSES.packs`, says: "Processes that make packs" },
          { of: `${GIT}#MAX_GIT_PROCESSES.fetches`, says: "Processes for small fetches" },
          { of: `${GIT}#MAX_START_BYTES.fetches`, says: "Size of a small fetch", unit: "bytes" },
          { of: `${GIT}#SMALL_FETCH_MS`, says: "Maximum duration of a small fetch" },
          { of: `${GIT}#MAX_GIT_PROCESSES.references`, says: "Processes for lists of references" },
          { of: `${GIT}#MAX_GIT_PROCESSES.walks`, says: "Processes for other work" },
          {
            of: `${GIT}#MIN_TAKEN_PER_SECOND`,
            says: "Number of bytes a second that a client must read while other clients wait",
            unit: "bytes",
          },
          { of: `${GIT}#LAG_MS`, says: "Time for which a client may be slower" },
          `${GIT}#MAX_WAITING_FOR_GIT`,
          `${GIT}#GIT_WAIT_MS`,
          `${GIT}#MAX_GIT_MS`,
        ],
      },
      {
        title: "Sessions and sign-ins",
        beyond:
          "An expired session is removed. One more session than the limit removes the oldest. One more sign-in is " +
          "503, and never removes another one.",
        limits: [
          "src/session/sessions.ts#UNAUTHORIZED_LIFETIME_MS",
          "src/session/sessions.ts#AUTHORIZED_LIFETIME_MS",
          { of: "src/session/memory_table.ts#MAX_AUTHORIZED_SESSIONS", says: "Signed-in sessions" },
          {
            of: "src/session/memory_table.ts#MAX_UNAUTHORIZED_SESSIONS",
            says: "Sign-ins that wait, in total",
          },
          {
            of: "src/session/memory_table.ts#MAX_WAITING_OF_CLIENT",
            says: "Sign-ins that wait from one client, for each class of sender",
          },
          {
            of: "src/session/memory_table.ts#MAX_WAITING_TOGETHER",
            says: "Sign-ins that wait from all clients without an address, together",
          },
          { of: `${WAITING}.foreignPage`, says: "Sign-ins that wait from web pages of other sites" },
          { of: `${WAITING}.owner`, says: "Places reserved for the owner on this machine" },
          {
            of: `${WAITING}.key`,
            says: "Places reserved for senders that prove they have the key of the node",
          },
          {
            of: "src/session/owner_proof.ts#OWNER_PROOF_MS",
            says: "Difference of clocks that such a proof allows",
          },
          {
            of: "src/session/owner_proof.ts#MAX_PROOFS",
            says: "Proofs that are stored, so that each counts once",
          },
        ],
      },
      {
        title: "Expensive requests of one client",
        beyond:
          "429. Clients without an address are refused only while work waits in a queue or timers are " +
          "late. A client whose share is no longer stored has its whole share again.",
        limits: [
          {
            of: "adapters/operation/client_share.ts#CLIENT_RATE",
            says: "Expensive requests a second in the long run (`--share`)",
          },
          {
            of: "adapters/operation/client_share.ts#BURST_SECONDS",
            says: "A client may use the share of this time at once",
          },
          {
            of: "adapters/operation/client_share.ts#REQUEST_MS",
            says: "Processor time that counts as one request; longer requests count as several",
          },
          "adapters/operation/client_share.ts#MAX_DEBT_SECONDS",
          {
            of: "adapters/operation/client_share.ts#TOGETHER_FACTOR",
            says: "All clients without an address together have this many times the share of one client",
          },
          {
            of: "adapters/operation/load.ts#LATE_MS",
            says: "Delay of timers above which timers count as late",
          },
          { of: "adapters/operation/client_share.ts#MAX_CLIENTS", says: "Clients whose share is stored" },
        ],
      },
    ],
  },
  {
    title: "The service",
    text: "Limits of one process, for all clients together.",
    topics: [
      {
        title: "Connections",
        beyond:
          "A new connection replaces the one whose client has kept the service waiting longest. If all " +
          "connections wait for the service, the new one is refused. A connection that is too slow is closed.",
        limits: [
          {
            of: "adapters/server/connections.ts#MAX_CONNECTIONS",
            says:
              "Connections at a time (`--max-connections`), and never more than a quarter of the file descriptors",
          },
          "adapters/server/connections.ts#HEAD_SECONDS",
          "adapters/server/connections.ts#REQUEST_SECONDS",
          {
            of: "adapters/server/connections.ts#IDLE_SECONDS",
            says: "Timeout between two requests of a connection",
          },
          {
            of: "adapters/server/connections.ts#TAKE_SECONDS",
            says: "Timeout for a client to read the next piece of a response",
          },
          { of: "adapters/server/connections.ts#MIN_TAKEN_BYTES", says: "Size of such a piece" },
          {
            of: "adapters/server/connections.ts#MAX_PIPELINED",
            says: "Requests on one connection that wait for their answers",
          },
        ],
      },
      {
        title: "Large answers",
        beyond:
          "Connections whose clients read nothing are closed. A new large answer waits, and is 503 after the wait.",
        limits: [
          "adapters/server/answers.ts#MAX_ANSWER_BYTES",
          {
            of: "adapters/server/answers.ts#STALL_MS",
            says: "Time without reading after which a response may be ended for other responses",
          },
          "adapters/server/answers.ts#WAIT_MS",
        ],
      },
      {
        title: "Logs, metrics and `/robots.txt`",
        beyond:
          "Further lines are dropped, and further connections are refused. With a longer `/robots.txt` the command " +
          "does not start.",
        limits: [
          {
            of: "adapters/operation/line_writer.ts#MAX_WAITING_CHARACTERS",
            says: "Characters that wait for a slow reader of the log",
          },
          {
            of: "adapters/operation/metrics.ts#MAX_METRICS_CONNECTIONS",
            says: "Connections to the address of `--metrics`",
          },
          {
            of: "adapters/cli/service.ts#MAX_ROBOTS_BYTES",
            says: "Maximum size of the text for `/robots.txt`",
          },
        ],
      },
      {
        title: "Caches",
        beyond: "The least used values leave. [caches.md](caches.md) lists all caches.",
        limits: [
          {
            of: "src/cache/memory.ts#DEFAULT_MEMORY_BYTES",
            says: "Memory of all caches together (`--memory`)",
          },
          {
            of: "src/cache/caches.ts#SHARED_CACHES.answers.bytes",
            says: "Cached answers (`--cache-size`); one answer takes at most a quarter of it",
            unit: "bytes",
          },
        ],
      },
      {
        title: "The cache folder",
        beyond: "The oldest files are removed first.",
        limits: [
          { of: "adapters/node/cache_folder.ts#MAX_CACHE_BYTES", says: "Size of all files" },
          { of: "adapters/node/cache_folder.ts#MAX_CACHE_FILES", says: "Number of files" },
          {
            of: "adapters/node/cache_folder.ts#MAX_CACHE_BYTES",
            says: "Size that each further process with the same folder may add",
            factor: 1 / 16,
          },
          {
            of: "src/git/saved_index.ts#MAX_SAVED_BYTES",
            says: "Saved index of one history, enough for some 400,000 commits",
          },
          {
            of: "adapters/node/compile_cache.ts#MAX_COMPILE_CACHE_BYTES",
            says: "Compiled code on Node.js, in a folder of its own",
          },
        ],
      },
      {
        title: "The search index",
        beyond: "The largest repository makes room for others.",
        limits: [
          {
            of: `${SEARCH}#FILE_LIMITS.fileBytes`,
            says: "Texts of all public repositories, and the same for private ones",
            factor: 1 / 3,
            unit: "bytes",
          },
          {
            of: `${SEARCH}#MAX_TEXTS`,
            says: "Number of texts of all public repositories, and of private ones",
          },
          { of: `${SEARCH}#FILE_LIMITS.fileBytes`, says: "Size of each of the two files", unit: "bytes" },
          { of: `${SEARCH}#SEARCH_MEMORY_BYTES`, says: "Memory of an index without a cache folder" },
          {
            of: `${SEARCH}#MEMORY_LIMITS.public.repositoryBytes`,
            says: "Texts of one public repository in such an index",
            unit: "bytes",
          },
          {
            of: `${SEARCH}#MEMORY_LIMITS.private.repositoryBytes`,
            says: "Texts of one private repository in such an index",
            unit: "bytes",
          },
        ],
      },
      {
        title: "Sessions in a file or store",
        beyond: "503. A value that is too long is not a session.",
        limits: [
          { of: "adapters/node/session_store.ts#STEP_MS", says: "Timeout for one step of a store" },
          { of: "adapters/node/session_store.ts#MAX_STEPS", says: "Steps that wait for a store at a time" },
          {
            of: "adapters/node/session_file.ts#MAX_BUSY_MS",
            says: "Wait for a file that another process has locked",
          },
          { of: "src/session/checked_table.ts#TABLE_TIMEOUT_MS", says: "Wait for a table of the host" },
          "src/session/stored_session.ts#MAX_STORED_LENGTH",
        ],
      },
    ],
  },
  {
    title: "Replicas and the publisher",
    text: "Limits of a service on a bucket, and of the program that fills the bucket.",
    topics: [
      {
        title: "Requests that a replica passes on",
        beyond: "503.",
        limits: [
          "extensions/replicas/origin/forward.ts#MAX_FORWARDED",
          {
            of: "extensions/replicas/origin/forward.ts#MAX_FORWARDED",
            says: "Such requests of one client",
            factor: 1 / 4,
          },
          "extensions/replicas/replica/passed_on.ts#MAX_READS_BY_TOKEN",
        ],
      },
      {
        title: "Consistency tokens",
        beyond: "The token is ignored.",
        limits: [
          {
            of: "extensions/replicas/origin/consistency_token.ts#MAX_TOKEN_LENGTH",
            says: "Maximum length of a token that is read",
          },
          {
            of: "extensions/replicas/origin/consistency_token.ts#TOKEN_LIFETIME_MS",
            says: "Lifetime of a token",
          },
          "extensions/replicas/origin/consistency_token.ts#TOKEN_CLOCK_SKEW_MS",
          {
            of: "extensions/replicas/origin/token_key.ts#MIN_TOKEN_KEY_LENGTH",
            says:
              "Minimum length of the key (`XYLEM_TOKEN_KEY`); with a shorter key the service does not start",
          },
        ],
      },
      {
        title: "Addresses of clients that a replica passes on",
        beyond: "The request counts for the replica itself.",
        limits: [
          {
            of: "extensions/replicas/origin/client_claim.ts#CLAIM_MS",
            says: "Allowed difference of the clocks",
          },
          {
            of: "extensions/replicas/origin/client_claim.ts#MAX_CLAIMS",
            says: "Requests that an origin stores, to count each once",
          },
        ],
      },
      {
        title: "Own changes at a replica",
        beyond: "The oldest are forgotten first.",
        limits: [
          {
            of: "extensions/replicas/origin/awaited_changes.ts#MAX_CATCHING_UP",
            says: "Repositories whose reads a replica sends to the origin after a change",
          },
          {
            of: "extensions/replicas/origin/awaited_changes.ts#MAX_CATCH_UP_MS",
            says: "Time for which it does so",
          },
        ],
      },
      {
        title: "Reads of a bucket",
        beyond:
          "Further bytes are not saved in the folder. Data that the bucket refuses for longer is 503. `--max-stale` " +
          "sets a limit for other failures, which have no limit by default.",
        limits: [
          {
            of: "extensions/replicas/storage/pack_set.ts#MAX_HELD_BLOCKS",
            says: "Blocks of 256 KiB that one read of objects holds",
          },
          {
            of: "extensions/replicas/storage/storage.ts#MAX_BATCHES",
            says: "Reads of many objects at the same time",
          },
          {
            of: "extensions/replicas/storage/storage.ts#MAX_FINDS",
            says: "Reads of one object at the same time",
          },
          {
            of: "extensions/replicas/format/offset_table.ts#MAX_SAME_STARTS",
            says: "Objects of a pack with the same first four bytes of their ids",
          },
          "extensions/replicas/storage/reads.ts#MAX_SAVED_AT_ONCE_BYTES",
          {
            of: "extensions/replicas/storage/reads.ts#SAVE_BYTES",
            says: "Number of bytes that each write counts in addition to its content",
          },
          {
            of: "extensions/replicas/storage/fresh_document.ts#MAX_DENIED_AGE_MS",
            says: "Age of the state that is shown while the bucket refuses",
          },
        ],
      },
      {
        title: "The publisher",
        beyond:
          "Further work waits. Another publisher takes over a lease without a sign of life. Replicas find older changes " +
          "themselves.",
        limits: [
          "extensions/replicas/publisher/publisher.ts#PUBLISHED_AT_ONCE",
          {
            of: "extensions/replicas/publisher/publisher.ts#MAX_LARGE_PUBLICATIONS",
            says: "Large publications: one runs, and the others wait",
          },
          {
            of: "extensions/replicas/publisher/publisher.ts#CATALOGUE_PUT_MS",
            says: "Minimum time between two puts of the catalogue",
          },
          {
            of: "adapters/home/git_pack_maker.ts#SMALL_AT_ONCE",
            says: "Processes of git for small publications",
          },
          {
            of: "adapters/home/git_pack_maker.ts#SMALL_MS",
            says: "Time after which a process of git counts as large, and only one of them runs",
          },
          { of: "adapters/home/git_pack_maker.ts#MAX_PACKING_MS", says: "Time of a process of git" },
          {
            of: "adapters/home/git_pack_maker.ts#LARGE_PACK_BYTES",
            says: "Size of a pack above which only one is in memory",
          },
          { of: "extensions/replicas/publisher/pack_maker.ts#PACK_LIMIT_BYTES", says: "Size of a pack" },
          {
            of: "adapters/home/git_pack_maker.ts#MAX_HELD_PACK_BYTES",
            says: "Size of a pack with one large object, above which a repository is not published",
          },
          {
            of: "extensions/replicas/publisher/pack_plan.ts#MAX_SMALL_PACKS",
            says: "Small packs of a repository before they are joined",
          },
          {
            of: "extensions/replicas/format/manifest.ts#MAX_SMALL_PACK_OBJECTS",
            says: "Objects of a small pack",
          },
          {
            of: "extensions/replicas/publisher/pack_plan.ts#SMALL_PACK_BYTES",
            says: "Size of a small pack",
          },
          {
            of: "src/cache/caches.ts#FIXED_CACHES.knownObjects.bytes",
            says: "Memory for the list of objects in the bucket",
            unit: "bytes",
          },
          {
            of: "extensions/replicas/publisher/lease.ts#LEASE_MS",
            says: "Time without a sign of life after which another publisher takes the lease",
          },
          {
            of: "extensions/replicas/format/recent_changes.ts#MAX_RECENT_CHANGES",
            says: "Latest changes in the bucket",
          },
          {
            of: "extensions/replicas/format/recent_changes.ts#MAX_RECENT_BYTES",
            says: "Size of their object",
          },
          {
            of: "extensions/replicas/publisher/recent_changes_writer.ts#RECENT_PUT_MS",
            says: "Minimum time between two puts of that object",
          },
        ],
      },
    ],
  },
  {
    title: "The page for browsers",
    text: "Limits of one tab, so that no text of a repository can block it.",
    topics: [
      {
        title: "Texts",
        beyond: "The text is shown without colours, markdown and pictures. Of a very " +
          "long text, only the beginning is shown.",
        limits: [
          "extensions/page/browser/blocks.ts#MAX_HIGHLIGHTED_LENGTH",
          {
            of: "extensions/page/browser/worker/highlight.ts#MAX_TOKENS",
            says: "Tokens and lines of a highlighted text",
          },
          "extensions/page/browser/blocks.ts#MAX_MARKDOWN_LENGTH",
          {
            of: "extensions/page/browser/worker/markdown.ts#MAX_HTML_LENGTH",
            says: "Maximum length of the HTML made from markdown",
          },
          { of: "extensions/page/browser/worker/markdown.ts#MAX_LINES", says: "Lines of that HTML" },
          { of: "extensions/page/browser/worker/markdown.ts#MAX_ELEMENTS", says: "Elements of that HTML" },
          { of: "extensions/page/browser/markdown.ts#MAX_DEPTH", says: "Nested elements" },
          {
            of: "extensions/page/browser/worker/markdown.ts#MAX_TAG_LENGTH",
            says: "Maximum length of a tag with its attributes",
          },
          { of: "extensions/page/browser/markdown_view.tsx#MAX_PICTURES", says: "Pictures of one text" },
          {
            of: "extensions/page/browser/pictures.ts#MAX_PICTURE_BYTES",
            says: "Maximum size of a picture; a larger picture is a link",
          },
          {
            of: "extensions/page/browser/plain_text.ts#MAX_TEXT_PARTS",
            says: "Parts of a plain text",
          },
          { of: "extensions/page/browser/plain_text.ts#LINES_AT_ONCE", says: "Lines of such a part" },
          {
            of: "extensions/page/browser/plain_text.ts#TEXT_AT_ONCE",
            says: "Characters of such a part",
            unit: "characters",
          },
          {
            of: "extensions/page/browser/plain_text.ts#MAX_LINE_LENGTH",
            says: "Maximum length of a line that is not cut",
          },
          {
            of: "extensions/page/browser/parts.tsx#MAX_LINKED_PATH",
            says: "Maximum length of a path whose folders are links",
            unit: "characters",
          },
        ],
      },
      {
        title: "Time for texts",
        beyond: "The text is shown as plain text.",
        limits: [
          {
            of: "extensions/page/browser/block_worker.ts#CALL_LIMIT_MS",
            says: "Timeout for drawing or highlighting one text",
          },
          {
            of: "extensions/page/browser/block_worker.ts#MAX_ENDED_CALLS",
            says: "Texts of one view that may take too long; further texts are not tried",
          },
          {
            of: "extensions/page/browser/block_worker.ts#START_LIMIT_MS",
            says: "Timeout until a new worker is ready",
          },
          {
            of: "extensions/page/browser/blocks.ts#MAX_CACHED_WEIGHT",
            says: "Cached texts, by their characters",
            unit: "characters",
          },
          {
            of: "extensions/page/browser/blocks.ts#TOKEN_WEIGHT",
            says: "Characters that a highlighted token counts for",
            unit: "characters",
          },
        ],
      },
      {
        title: "Lists, diffs and answers",
        beyond:
          "Only the beginning is drawn; files of a diff are folded until somebody opens them; a larger answer " +
          "is not shown.",
        limits: [
          { of: "extensions/page/browser/lists.tsx#MAX_ROWS", says: "Items of a list, lines of a file" },
          { of: "extensions/page/browser/changes.tsx#FOLDED_ROWS", says: "Lines of one open file of a diff" },
          { of: "extensions/page/browser/changes.tsx#OPEN_ROWS", says: "Lines of all open files of a diff" },
          {
            of: "extensions/page/browser/reference/try_it.tsx#MAX_SHOWN_BYTES",
            says: "Answer that the reference shows",
          },
        ],
      },
      {
        title: "Memory and attachments of a tab",
        beyond:
          "Files that are too large are refused in the form. The oldest answers and tokens are forgotten. A " +
          "service that cannot be reached is asked again, and the view stays.",
        limits: [
          {
            of: "extensions/page/browser/writing.tsx#MAX_EMBEDDED_BYTES",
            says: "Files attached to a text, together",
          },
          { of: "extensions/page/browser/answers.ts#MAX_CACHED", says: "Answers" },
          {
            of: "extensions/page/browser/session.ts#MAX_CONSISTENCY_TOKENS",
            says: "Repositories whose consistency tokens are stored",
          },
          {
            of: "extensions/page/browser/answers.ts#RETRY_MS",
            says: "Pause before the next request to the service",
          },
        ],
      },
    ],
  },
];
