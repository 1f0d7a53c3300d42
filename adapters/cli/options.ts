/** The options of the commands. */
import { DEFAULT_MEMORY_BYTES } from "../../src/cache/memory.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { CLIENT_RATE } from "../operation/client_share.ts";
import { DEFAULT_ADDRESS, formatAddress } from "../server/address.ts";
import type { OptionTable } from "./command_line.ts";
import {
  bytesOf,
  localAddressOf,
  numberOf,
  oneOf,
  pathOr,
  toAddress,
  toAlias,
  toBucket,
  toCache,
  toCloneSource,
  toFieldName,
  toOrigin,
  toServiceUrl,
  toSessions,
  toSignInUrl,
  toWallet,
} from "./values.ts";

/** Default web app for the sign-in link that `xylem session` prints. */
export const DEFAULT_EXPLORER = "https://app.radicle.xyz";

/** Names of the rules by which issues and patches are evaluated. The first name is the default. */
const EVALUATIONS: readonly HomeGeneration[] = ["newest", "1.1", "0.10", "2024"];

const evaluation = {
  value: EVALUATIONS.join("|"),
  meaning:
    "Rules for issues, patches and signed references: the rules of today's programs (default), of earlier " +
    "releases (`1.1`: up to 1.2, `0.10`: up to 1.0), or of early 2024. If the programs of the home are older, signed " +
    "references follow their rules",
  read: oneOf("evaluation", ...EVALUATIONS),
} as const;
const api = {
  value: "v1|today|both",
  meaning:
    "Routes: `v1`, the specified version 1 (`/projects`); `today`, as in today's `radicle-httpd` (`/repos`); or " +
    "both (default)",
  read: oneOf("api", "both", "v1", "today"),
} as const;
const answers = {
  value: "spec|objects",
  meaning:
    "Form of reactions and review comments: pairs, as specified (default), or objects, which clients of 2024 " +
    "expect",
  read: oneOf("answers", "spec", "objects"),
} as const;
const help = { short: "h", meaning: "Print this text" } as const;

export const SERVE_OPTIONS = {
  port: {
    title: "Where",
    value: "PORT",
    meaning: "Port of `127.0.0.1` to listen on. Default: the variable `PORT`, else 8080",
    read: localAddressOf("--port"),
  },
  listen: {
    value: "ADDRESS",
    isRepeatable: true,
    meaning:
      "Address to listen on: `PORT` of `127.0.0.1`, `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; repeatable. " +
      "`localhost:PORT` means both `127.0.0.1` and `[::1]`, if the machine has both. Default: `127.0.0.1:8080`, which " +
      "only this machine can reach, because a home is private",
    read: toAddress,
  },
  "max-connections": {
    value: "N",
    meaning:
      "Maximum number of connections, on all addresses together. Default: a quarter of the file descriptors " +
      "of the process, at most 1024",
    read: numberOf("max-connections", /^[1-9]\d{0,6}$/, "a number from 1 to 9999999"),
  },
  "max-event-readers": {
    value: "N",
    meaning:
      "Maximum number of clients that read events. Their connections do not count for `--max-connections`. Default: " +
      "a quarter of the file descriptors of the process, at most 1000",
    read: numberOf("max-event-readers", /^[1-9]\d{0,6}$/, "a number from 1 to 9999999"),
  },
  home: {
    title: "What",
    value: "DIR",
    meaning: "The Radicle home. Default: `RAD_HOME`, else `~/.radicle`, else the demo home",
    read: pathOr("home", "a directory"),
  },
  demo: { meaning: "Serve a demo home, which the first use creates" },
  api,
  "no-page": { meaning: "Answer browsers at `/` with JSON instead of the page" },
  alias: {
    value: "NAME RID",
    short: "a",
    isRepeatable: true,
    meaning: "Paths may name the repository `RID` by `NAME`; repeatable",
    read: toAlias,
  },
  evaluation,
  answers,
  "object-time": {
    value: "SECONDS",
    meaning: "Write every object with this time, in seconds since 1970: for tests and recordings",
    read: numberOf("object-time", /^\d{1,12}$/, "seconds since 1970"),
  },
  bucket: {
    title: "From a bucket",
    value: "ADDRESS",
    meaning:
      "Serve what `xylem publish` has put into this bucket, instead of a home: `s3://name/prefix` with the usual " +
      "`AWS_*` variables, the `https://` address of a public bucket, or a folder. No client counts as the owner",
    read: toBucket,
  },
  origin: {
    value: "URL",
    meaning:
      "With `--bucket`: the service that serves the home itself. The replica forwards changes, sign-ins, searches and " +
      "clones to it. Without it, the replica refuses them",
    read: toServiceUrl,
  },
  "clones-from": {
    value: "origin|bucket|URL",
    meaning:
      "With `--bucket`: who serves clones: the origin; the replica, from the bucket; or the public URL of the bucket, " +
      "to which clients are redirected. Default: the origin if there is one, else the replica. Only the origin serves " +
      "shallow and partial clones",
    read: toCloneSource,
  },
  fresh: {
    value: "SECONDS",
    meaning: "With `--bucket`: check a repository for changes in the bucket after this time. Default: 2",
    read: numberOf("fresh", /^\d{1,5}(?:\.\d{1,3})?$/, "seconds such as 2"),
  },
  "max-stale": {
    value: "SECONDS",
    meaning:
      "With `--bucket`: answer 503 instead of data that the bucket has not confirmed for this time. Without it, the " +
      "last state is shown while the bucket cannot be reached, and for 30 seconds if the bucket refuses",
    read: numberOf("max-stale", /^[1-9]\d{0,7}$/, "seconds from 1 to 99999999"),
  },
  "behind-proxy": {
    title: "For whom",
    meaning: "All requests come through a reverse proxy, so no client counts as the owner of the node",
  },
  "client-address-header": {
    value: "NAME",
    meaning:
      "With `--behind-proxy`: the header field in which the proxy sends the address of the client. The proxy must " +
      "overwrite the field. Its last value is used for limits of one client and for `--log-client`, never for rights. " +
      "Without it, all clients count as one",
    read: toFieldName,
  },
  share: {
    value: "N",
    meaning:
      "Expensive requests (diffs, folders, files, archives, searches, clones) that a client may send per second in the " +
      "long run, and thirty times as many at once. Slow answers cost more. Requests beyond it are answered 429. Clients " +
      "without an address share ten times as much, and are refused while the service is busy. The owner has no limit. " +
      `Default: ${CLIENT_RATE}; \`0\` means no limit`,
    read: numberOf("share", /^\d{1,6}$/, "a number from 0 to 999999"),
  },
  "trust-origin": {
    value: "ORIGIN",
    isRepeatable: true,
    meaning:
      "Let web pages of this origin act for the owner, like pages of `https://app.radicle.xyz`; repeatable",
    read: toOrigin,
  },
  "sign-in": {
    value: "key|wallet",
    meaning:
      "How clients sign in: with the node's key (default) or with an Ethereum wallet. Wallets need the " +
      "variable `SERVICE_DOMAIN`, the host that sign-in messages must name, and at least one `--wallet`",
    read: oneOf("sign-in", "key", "wallet"),
  },
  wallet: {
    value: "ADDRESS",
    isRepeatable: true,
    meaning: "Address of a wallet that may change things; repeatable",
    read: toWallet,
  },
  chain: {
    value: "ID",
    isRepeatable: true,
    meaning: "Id of a chain that sign-in messages may name; repeatable. Default: `1`",
    read: numberOf("chain", /^[1-9]\d{0,14}$/, "a positive integer"),
  },
  sessions: {
    value: "PLACE",
    meaning:
      "Where sessions are stored: `memory` (default); the path of a file, so that a restart signs nobody out; or " +
      "`redis://…`, `rediss://…` or `unix:PATH` of a store with the protocol of Redis, which several processes may " +
      "share. The variable `XYLEM_SESSIONS` sets the same and hides a password from other users of the machine",
    read: toSessions,
  },
  cache: {
    title: "Memory",
    value: "DIR",
    meaning:
      "Folder for indexes of long histories and of searched texts, for data read from a bucket, and on Node.js for " +
      "compiled code (at most 64 MiB), so that a restart need not make them again. It also has data of private " +
      "repositories, so only you can read it. You may remove it at any time. Default: `$XDG_CACHE_HOME/xylem`, else " +
      "`~/.cache/xylem`; `none` means no folder",
    read: toCache,
  },
  memory: {
    value: "SIZE",
    meaning:
      "Memory of all caches together: bytes, or a number with `K`, `M` or `G`. At least 29.7 MiB. A service " +
      `takes only as much as it needs. Default: \`${DEFAULT_MEMORY_BYTES / 2 ** 20}M\``,
    read: bytesOf("memory"),
  },
  "cache-size": {
    value: "SIZE",
    meaning:
      "Part of `--memory` for cached answers about commits, diffs, folders and files. Default: `64M`; `0` means none",
    read: bytesOf("cache-size"),
  },
  drain: {
    title: "Operation",
    value: "SECONDS",
    meaning:
      "After a signal to end, continue for this time while `/readyz` answers 503, so that a proxy sends requests " +
      "elsewhere. Default: 0",
    read: numberOf("drain", /^\d{1,4}(?:\.\d{1,3})?$/, "seconds such as 2"),
  },
  "no-warm-up": {
    meaning: "Prepare no answers before the first request: for a service that runs only briefly",
  },
  log: {
    value: "off|text|json",
    meaning:
      "Print a line for each request to standard output. With `json`, messages on standard error are JSON, too. " +
      "Default: `off` on a terminal, else `text`",
    read: oneOf("log", "off", "text", "json"),
  },
  "log-level": {
    value: "error|warn|info",
    meaning:
      "Lowest level that is logged. Requests are `info`, or `warn` if the status is 501 or above; faults are `error`. " +
      "Default: `info`",
    read: oneOf("log-level", "error", "warn", "info"),
  },
  "log-client": { meaning: "Add the address of the client to the lines of requests" },
  metrics: {
    value: "ADDRESS",
    meaning:
      "Serve `/metrics` (OpenMetrics) at this address, and nowhere else: `PORT` of `127.0.0.1`, `HOST:PORT`, " +
      "`[IPV6]:PORT` or `unix:PATH`",
    read: toAddress,
  },
  robots: {
    value: "FILE",
    meaning: "Serve this file as `/robots.txt`. The default keeps crawlers away from expensive answers",
    read: pathOr("robots", "a file"),
  },
  help: { title: "About", ...help },
  version: { short: "v", meaning: "Print the version" },
} as const satisfies OptionTable;

/** Options of a service that reads a home. A service that reads a bucket refuses these options. */
export const HOME_OPTIONS = [
  "home",
  "demo",
  "trust-origin",
  "sign-in",
  "wallet",
  "chain",
  "object-time",
  "sessions",
] as const satisfies readonly (keyof typeof SERVE_OPTIONS)[];

/** Options of a service that reads a bucket. A service that reads a home refuses these options. */
export const BUCKET_OPTIONS = [
  "origin",
  "clones-from",
  "fresh",
  "max-stale",
] as const satisfies readonly (keyof typeof SERVE_OPTIONS)[];

const home = {
  value: "DIR",
  meaning: "The Radicle home. Default: `RAD_HOME`, else `~/.radicle`",
  read: pathOr("home", "a directory"),
} as const;

export const SESSION_OPTIONS = {
  base: {
    value: "URL",
    meaning:
      "Address of the service. Default: the service that runs on the home, if the usual cache folder has its address; " +
      `else \`${formatAddress(DEFAULT_ADDRESS)}\``,
    read: toSignInUrl,
  },
  home,
  demo: { meaning: "Use the key of the demo home" },
  explorer: {
    value: "URL",
    meaning: `Web app that the first link opens. Default: \`${DEFAULT_EXPLORER}\``,
    read: toSignInUrl,
  },
  help,
} as const satisfies OptionTable;

export const PUBLISH_OPTIONS = {
  watch: {
    meaning:
      "Keep running. Changes that the node announces are published within two seconds; other changes are found by " +
      "checking all repositories, which takes longer in a home with thousands of them",
  },
  check: {
    meaning:
      "Verify the bucket instead of publishing: check the digest of each object, report missing and unused objects, " +
      "and show the age of the publication. Needs no home, and takes no other option",
  },
  home,
  demo: { meaning: "Publish the demo home, which the first use creates" },
  evaluation,
  grace: {
    value: "SECONDS",
    meaning: "Remove objects from the bucket this long after no repository needs them. Default: 3600",
    read: numberOf("grace", /^\d{1,8}$/, "seconds"),
  },
  cache: {
    value: "DIR",
    meaning: "Folder for indexes of long histories, as for `xylem serve`; `none` means no folder",
    read: toCache,
  },
  help,
} as const satisfies OptionTable;
