/**
 * Arguments and environment of git's processes. Nothing but these decides what git does: it reads no
 * configuration of the system or of a user, shows no prompt, connects to nothing and runs no program but
 * itself.
 */
import type { ProgramCommand } from "../../src/ports/program.ts";
import type { UploadPackRequest } from "./git_program.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { HIDDEN_PATTERNS } from "../../src/git/references.ts";

const GIT = "git";
const NOTHING = new Uint8Array(0);

/** Variables of every process. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  // A replacement would show other content than the rest of the service.
  GIT_NO_REPLACE_OBJECTS: "1",
  // A repository that claims to be partial would have git fetch what is missing, from where it says.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
};

/**
 * Settings of every process. Those of the command line come last, so that a repository's own do not change
 * them. A program to run (`uploadpack.packObjectsHook`) is never read from a repository.
 */
const SETTINGS: readonly string[] = [
  // The folder is one of the storage; git need not check its owner.
  "safe.directory=*",
  // Bounds of the memory of one process: larger files are copied as they are.
  "core.bigFileThreshold=16m",
  "pack.windowMemory=64m",
  "pack.threads=1",
  "core.alternateRefsCommand=",
];

/** Settings of `git upload-pack`: the requests that clients may make. */
const UPLOAD_PACK_SETTINGS: readonly string[] = [
  "uploadpack.allowTipSHA1InWant=false",
  "uploadpack.allowReachableSHA1InWant=true",
  "uploadpack.allowRefInWant=false",
  "uploadpack.allowFilter=true",
  "uploadpackfilter.allow=true",
  // Would read the object that the client names, even if the client may not see it.
  "uploadpackfilter.sparse:oid.allow=false",
  "uploadpack.advertiseBundleURIs=false",
  "transfer.advertiseSID=false",
  "transfer.advertiseObjectInfo=false",
  "lsrefs.unborn=advertise",
];

/** `git upload-pack` for one request. @param folder Path of the bare repository. */
export function uploadPackCommand(folder: string, request: UploadPackRequest): ProgramCommand {
  const { namespace, protocol, hidden, input } = request;
  const settings = [
    ...SETTINGS,
    ...UPLOAD_PACK_SETTINGS,
    ...hidden.map((name) => `transfer.hideRefs=^${name}`),
  ];
  return {
    program: GIT,
    args: [
      ...settings.flatMap((setting) => ["-c", setting]),
      "upload-pack",
      "--strict",
      "--stateless-rpc",
      ...(input === undefined ? ["--advertise-refs"] : []),
      folder,
    ],
    environment: {
      ...ENVIRONMENT,
      ...(protocol > 0 && { GIT_PROTOCOL: `version=${protocol}` }),
      ...(namespace !== undefined && { GIT_NAMESPACE: namespace }),
    },
    input: input ?? NOTHING,
  };
}

/** Everything to which a shown reference leads, for `git rev-list`. */
const SHOWN_REFS = [...HIDDEN_PATTERNS.map((pattern) => `--exclude=${pattern}`), "--all"];

/**
 * `git rev-list` of every object to which a shown reference leads, newest commits first, an id a line.
 *
 * @param folder Path of the bare repository.
 */
export function shownObjectsCommand(folder: string): ProgramCommand {
  const options = ["--objects", "--in-commit-order", "--no-object-names", "--ignore-missing"];
  return revListCommand(folder, [...options, ...SHOWN_REFS]);
}

/**
 * `git rev-list` of those of some commits, and of the commits before them, to which no shown reference leads.
 *
 * @param folder Path of the bare repository.
 */
export function commitsBeyondRefsCommand(folder: string, commits: readonly Oid[]): ProgramCommand {
  const options = ["--ignore-missing", "--stdin", "--not", ...SHOWN_REFS];
  return revListCommand(folder, options, new TextEncoder().encode(`${commits.join("\n")}\n`));
}

/**
 * `git rev-list` of one of some commits, or of the commits before them, to which no tip leads.
 *
 * @param folder Path of the bare repository.
 */
export function commitBeyondCommand(
  folder: string,
  commits: readonly Oid[],
  tips: readonly Oid[],
): ProgramCommand {
  const lines = [...commits, ...tips.map((oid) => `^${oid}`)];
  const options = ["--max-count=1", "--ignore-missing", "--stdin"];
  return revListCommand(folder, options, new TextEncoder().encode(`${lines.join("\n")}\n`));
}

function revListCommand(
  folder: string,
  options: readonly string[],
  input: Uint8Array<ArrayBuffer> = NOTHING,
): ProgramCommand {
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  return {
    program: GIT,
    args: [...settings, `--git-dir=${folder}`, "rev-list", ...options],
    environment: ENVIRONMENT,
    input,
  };
}
