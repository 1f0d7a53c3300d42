/**
 * Makes the arguments and the environment of git processes. git reads no configuration of the system or of a
 * user, shows no prompt, opens no connection and runs no other program.
 */
import { HIDDEN_PATTERNS, type Oid, type ProgramCommand } from "../../src/mod.ts";
import type { UploadPackRequest } from "./git_program.ts";

const GIT = "git";
const NOTHING = new Uint8Array(0);

/** Environment of every git process, in addition to the search path. */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  // With replacements (`git replace`), git would show other content than the rest of the service.
  GIT_NO_REPLACE_OBJECTS: "1",
  // For a partial clone, git would fetch missing objects from an address in the repository.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
};

/**
 * Settings of every process. Settings on the command line override the settings of a repository. git ignores
 * the setting `uploadpack.packObjectsHook` of a repository, so no repository can make git run a program.
 */
const SETTINGS: readonly string[] = [
  // The storage contains only trusted folders, so git does not have to check their owner.
  "safe.directory=*",
  // The next three settings limit the memory of a process. git copies larger files instead of comparing them.
  "core.bigFileThreshold=16m",
  "pack.windowMemory=64m",
  "pack.threads=1",
  "core.alternateRefsCommand=",
];

const UPLOAD_PACK_SETTINGS: readonly string[] = [
  "uploadpack.allowTipSHA1InWant=false",
  "uploadpack.allowReachableSHA1InWant=true",
  "uploadpack.allowRefInWant=false",
  "uploadpack.allowFilter=true",
  "uploadpackfilter.allow=true",
  // For this filter, git would read any object that the client names, even if the client may not see the
  // object.
  "uploadpackfilter.sparse:oid.allow=false",
  "uploadpack.advertiseBundleURIs=false",
  "transfer.advertiseSID=false",
  "transfer.advertiseObjectInfo=false",
  "lsrefs.unborn=advertise",
];

/**
 * Returns the `git upload-pack` command for one request.
 *
 * @param folder Path of the bare repository.
 */
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
      ...GIT_ENVIRONMENT,
      ...(protocol > 0 && { GIT_PROTOCOL: `version=${protocol}` }),
      ...(namespace !== undefined && { GIT_NAMESPACE: namespace }),
    },
    input: input ?? NOTHING,
  };
}

/** Arguments of `git rev-list` that select all objects of visible references. */
const SHOWN_REFS = [...HIDDEN_PATTERNS.map((pattern) => `--exclude=${pattern}`), "--all"];

/**
 * Returns a `git rev-list` command that lists every object that is reachable from a visible reference, the
 * newest commits first. Each line has one id.
 *
 * @param folder Path of the bare repository.
 */
export function shownObjectsCommand(folder: string): ProgramCommand {
  const options = ["--objects", "--in-commit-order", "--no-object-names", "--ignore-missing"];
  return revListCommand(folder, [...options, ...SHOWN_REFS]);
}

/**
 * Returns a `git rev-list` command that lists commits that are not reachable from any visible reference: the
 * given commits and their ancestors.
 *
 * @param folder Path of the bare repository.
 */
export function commitsBeyondRefsCommand(folder: string, commits: readonly Oid[]): ProgramCommand {
  const options = ["--ignore-missing", "--stdin", "--not", ...SHOWN_REFS];
  return revListCommand(folder, options, new TextEncoder().encode(`${commits.join("\n")}\n`));
}

/**
 * Returns a `git rev-list` command that lists a commit that is not reachable from any tip, among the given
 * commits and their ancestors. Lists at most one commit.
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
    environment: GIT_ENVIRONMENT,
    input,
  };
}
