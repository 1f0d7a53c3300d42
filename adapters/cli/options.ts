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
  toFieldName,
  toOrigin,
  toServiceUrl,
  toSessions,
  toSignInUrl,
  toWallet,
} from "./values.ts";

/** Default web app for the sign-in of browsers. */
export const DEFAULT_EXPLORER = "https://app.radicle.xyz";

/** Rules of evaluation; the first are the default. */
const EVALUATIONS: readonly HomeGeneration[] = ["newest", "1.1", "0.10", "2024"];

const evaluation = {
  value: EVALUATIONS.join("|"),
  meaning:
    "Rules for issues, patches and signed references: those of today's programs (default), of earlier " +
    "releases (`1.1`: up to 1.2, `0.10`: up to 1.0), or of early 2024. Signed references are judged by the rules of " +
    "the home's programs if these are older",
  read: oneOf("evaluation", ...EVALUATIONS),
} as const;
const api = {
  value: "v1|today|both",
  meaning:
    "Routes: those specified for version 1 (`/projects`), those of today's `radicle-httpd` (`/repos`), or " +
    "both (default)",
  read: oneOf("api", "both", "v1", "today"),
} as const;
const answers = {
  value: "spec|objects",
  meaning:
    "Form of reactions and review comments: pairs, as specified (default), or objects, as clients of 2024 " +
    "expect",
  read: oneOf("answers", "spec", "objects"),
} as const;
const help = { short: "h", meaning: "Print this text" } as const;

export const SERVE_OPTIONS = {
  port: {
    title: "Where",
    value: "PORT",
    meaning: "Port of `127.0.0.1` to listen on. Default the variable `PORT`, else 8080",
    read: localAddressOf("--port"),
  },
  listen: {
    value: "ADDRESS",
    isRepeatable: true,
    meaning:
      "Address to listen on: `PORT` of `127.0.0.1`, `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; repeatable. " +
      "`localhost:PORT` is both `127.0.0.1` and `[::1]`, where the machine has both. Default `127.0.0.1:8080`, for this machine only, because a home is private",
    read: toAddress,
  },
  "max-connections": {
    value: "N",
    meaning:
      "Maximum number of connections, on all addresses together. Default a quarter of the file descriptors " +
      "of the process, at most 1024",
    read: numberOf("max-connections", /^[1-9]\d{0,6}$/, "a number from 1 to 9999999"),
  },
  "max-event-readers": {
    value: "N",
    meaning:
      "Maximum number of clients that listen to changes, which are counted apart from other connections. Default " +
      "a quarter of the file descriptors of the process, at most 1000",
    read: numberOf("max-event-readers", /^[1-9]\d{0,6}$/, "a number from 1 to 9999999"),
  },
  home: {
    title: "What",
    value: "DIR",
    meaning: "The Radicle home. Default `RAD_HOME`, else `~/.radicle`, else the demo home",
    read: pathOr("home", "a directory"),
  },
  demo: { meaning: "Serve a demo home, which is made on first use" },
  api,
  "no-page": { meaning: "Browsers get JSON at `/`, too, in place of the page" },
  alias: {
    value: "NAME RID",
    short: "a",
    isRepeatable: true,
    meaning: "`NAME` may stand for the repository `RID` in paths; repeatable",
    read: toAlias,
  },
  evaluation,
  answers,
  "object-time": {
    value: "SECONDS",
    meaning: "Time of every written object, since 1970: for tests and recordings",
    read: numberOf("object-time", /^\d{1,12}$/, "seconds since 1970"),
  },
  bucket: {
    title: "From a bucket",
    value: "ADDRESS",
    meaning:
      "In place of a home, serve what `xylem publish` has put there: `s3://name/prefix` with the usual " +
      "`AWS_*` variables, the `https://` address of a public bucket, or a folder. No client counts as the owner",
    read: toBucket,
  },
  origin: {
    value: "URL",
    meaning:
      "With `--bucket`: the service beside the home, which gets changes, sessions, searches and clones. " +
      "Without it, they are refused",
    read: toServiceUrl,
  },
  fresh: {
    value: "SECONDS",
    meaning: "With `--bucket`: ask the bucket for changes of a repository after this time. Default 2",
    read: numberOf("fresh", /^\d{1,5}(?:\.\d{1,3})?$/, "seconds such as 2"),
  },
  "max-stale": {
    value: "SECONDS",
    meaning:
      "With `--bucket`: answer 503 with what the bucket has not confirmed for so long. Without it, the last " +
      "state is shown for as long as the bucket is away, but for 30 seconds if the bucket refuses",
    read: numberOf("max-stale", /^[1-9]\d{0,7}$/, "seconds from 1 to 99999999"),
  },
  "behind-proxy": {
    title: "For whom",
    meaning: "All requests come through a reverse proxy: no client counts as the owner of the node",
  },
  "client-address-header": {
    value: "NAME",
    meaning:
      "With `--behind-proxy`: the header field in which the proxy names the client, which it must overwrite. Its " +
      "last value counts, for all limits of one client and `--log-client`, never for rights. Without it all clients " +
      "count as one",
    read: toFieldName,
  },
  share: {
    value: "N",
    meaning:
      "Expensive requests a second that a client may send in the long run, and thirty times as many at once: diffs, " +
      "folders, files, archives, searches, clones. An answer that takes long costs more. More are answered 429. " +
      "Clients that cannot be told apart have ten times as many together, and are refused while the service is busy; " +
      `the owner has no bound. Default ${CLIENT_RATE}; \`0\` for no bound`,
    read: numberOf("share", /^\d{1,6}$/, "a number from 0 to 999999"),
  },
  "trust-origin": {
    value: "ORIGIN",
    isRepeatable: true,
    meaning:
      "Web pages of this origin may act for the owner, as those of `https://app.radicle.xyz` may; repeatable",
    read: toOrigin,
  },
  "sign-in": {
    value: "key|wallet",
    meaning:
      "How clients sign in: with the node's key (default) or with an Ethereum wallet. Wallets need the " +
      "variable `SERVICE_DOMAIN`, which is the host that messages must name, and at least one `--wallet`",
    read: oneOf("sign-in", "key", "wallet"),
  },
  wallet: {
    value: "ADDRESS",
    isRepeatable: true,
    meaning: "A wallet that may change things; repeatable",
    read: toWallet,
  },
  chain: {
    value: "ID",
    isRepeatable: true,
    meaning: "A chain that messages of wallets may name; repeatable. Default `1`",
    read: numberOf("chain", /^[1-9]\d{0,14}$/, "a positive integer"),
  },
  sessions: {
    value: "PLACE",
    meaning:
      "Where sessions are: `memory` (default); the path of a file, so that a restart signs nobody out; or " +
      "`redis://…`, `rediss://…`, `unix:PATH` of a store with the protocol of Redis, which several processes may " +
      "share. Default the variable `XYLEM_SESSIONS`, which shows no password to other users of the machine",
    read: toSessions,
  },
  cache: {
    title: "Memory",
    value: "DIR",
    meaning:
      "Folder for indexes of long histories and of searched texts, for what was read from a bucket, and on " +
      "Node.js for compiled code (at most 64 MiB), so that a restart need not make them again. They are of private " +
      "repositories, too; only you can read it, and it may be removed at any time. Default `$XDG_CACHE_HOME/xylem`, " +
      "else `~/.cache/xylem`; `none` for no folder",
    read: toCache,
  },
  memory: {
    value: "SIZE",
    meaning: "Memory of all caches together: bytes, or a number with `K`, `M` or `G`. Default " +
      `\`${DEFAULT_MEMORY_BYTES / 2 ** 20}M\`, at least 29.7 MiB; a service takes only as much as it needs`,
    read: bytesOf("memory"),
  },
  "cache-size": {
    value: "SIZE",
    meaning:
      "Memory for cached answers on commits, diffs, folders and files, a part of `--memory`. Default " +
      "`64M`; `0` for none",
    read: bytesOf("cache-size"),
  },
  drain: {
    title: "Operation",
    value: "SECONDS",
    meaning:
      "Told to end, go on for so long while `/readyz` answers 503, so that a proxy sends requests elsewhere. " +
      "Default 0",
    read: numberOf("drain", /^\d{1,4}(?:\.\d{1,3})?$/, "seconds such as 2"),
  },
  "no-warm-up": {
    meaning: "Make no answers ahead of the first clients: for a service that lives briefly",
  },
  log: {
    value: "off|text|json",
    meaning:
      "A line on standard output for each request. Default `off` on a terminal, else `text`; with `json`, messages " +
      "on standard error are JSON, too",
    read: oneOf("log", "off", "text", "json"),
  },
  "log-level": {
    value: "error|warn|info",
    meaning:
      "Log no less than this: requests are `info`, those answered 501 and above `warn`, faults `error`. Default `info`",
    read: oneOf("log-level", "error", "warn", "info"),
  },
  "log-client": { meaning: "Lines of requests have the address of the client" },
  metrics: {
    value: "ADDRESS",
    meaning:
      "Serve `/metrics` in the text of OpenMetrics here, and nowhere else: `PORT` of `127.0.0.1`, `HOST:PORT`, " +
      "`[IPV6]:PORT` or `unix:PATH`",
    read: toAddress,
  },
  robots: {
    value: "FILE",
    meaning: "Text for `/robots.txt`, in place of one that keeps crawlers away from what is expensive",
    read: pathOr("robots", "a file"),
  },
  help: { title: "About", ...help },
  version: { short: "v", meaning: "Print the version" },
} as const satisfies OptionTable;

/** Options of a home. A service on a bucket does not accept them. */
export const HOME_OPTIONS = [
  "home",
  "demo",
  "trust-origin",
  "sign-in",
  "wallet",
  "chain",
  "object-time",
  "sessions",
  "no-warm-up",
] as const satisfies readonly (keyof typeof SERVE_OPTIONS)[];

/** Options of a service on a bucket. A service on a home does not accept them. */
export const BUCKET_OPTIONS = [
  "origin",
  "fresh",
  "max-stale",
] as const satisfies readonly (keyof typeof SERVE_OPTIONS)[];

const home = {
  value: "DIR",
  meaning: "The Radicle home. Default `RAD_HOME`, else `~/.radicle`",
  read: pathOr("home", "a directory"),
} as const;

export const SESSION_OPTIONS = {
  base: {
    value: "URL",
    meaning:
      "The service. Default the one that runs on the home with the usual cache folder, where its address is; else " +
      `\`${formatAddress(DEFAULT_ADDRESS)}\``,
    read: toSignInUrl,
  },
  home,
  demo: { meaning: "Use the key of the demo home" },
  explorer: {
    value: "URL",
    meaning: `The web app that the first link leads to. Default \`${DEFAULT_EXPLORER}\``,
    read: toSignInUrl,
  },
  help,
} as const satisfies OptionTable;

export const PUBLISH_OPTIONS = {
  watch: {
    meaning:
      "Go on, and publish each change within two seconds when the node tells of it; others are looked for, which " +
      "takes longer in a home of thousands of repositories",
  },
  check: {
    meaning:
      "In place of publishing, verify what is in the bucket: each object by its digest, that all is there that is " +
      "named, what nothing names, and how old it is. Needs no home, and takes no other option",
  },
  home,
  demo: { meaning: "Publish the demo home, which is made on first use" },
  evaluation,
  grace: {
    value: "SECONDS",
    meaning: "Remove what no repository needs any more after this time. Default 3600",
    read: numberOf("grace", /^\d{1,8}$/, "seconds"),
  },
  cache: {
    value: "DIR",
    meaning: "Folder for indexes of long histories, as of `xylem serve`; `none` for no folder",
    read: toCache,
  },
  help,
} as const satisfies OptionTable;
