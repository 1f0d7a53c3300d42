/** Asks two services the same questions about a repository and reports where they disagree. */
import { execFileSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { ALL_WANTED } from "../support/cases.ts";
import {
  comparableDiff,
  comparableHistory,
  comparableInfo,
  comparableTree,
  type Json,
} from "./httpd_shapes.ts";
import { nodeIdOf, withoutOwnAlias } from "../support/own_alias.ts";

/** A path below `/api/v1/projects/:rid`, and what makes the answers of both comparable. */
interface Question {
  readonly path: string;
  readonly comparable: (answer: Json) => Json;
}

/** How two services compare: how many questions both answered alike, and a line for each that they did not. */
export interface Comparison {
  readonly equal: number;
  /** Questions that `radicle-httpd` fails at (status 500 or 413, or no answer); ours has to give an orderly answer. */
  readonly left: number;
  readonly differences: readonly string[];
}

/** Commits compared at most, the newest first: enough for every kind of change, and the time stays bounded as a history grows. */
const COMMIT_LIMIT = 120;
/**
 * Of histories of more commits than that, every `COMMIT_STEP`th is compared, and trees and distant diffs at every
 * `SPARSE_STEP`th: `radicle-httpd` takes a second for each of them.
 */
const DENSE_LIMIT = 60;
const [COMMIT_STEP, SPARSE_STEP] = ALL_WANTED ? [3, 6] : [10, 20];
/** Files and folders of the head that are compared: of more, every so many-th, for the same reason. */
const HEAD_LIMIT = ALL_WANTED ? 120 : 40;
/** Of each commit, changed files (and their folders) that are looked at. */
const PATH_LIMIT = 4;
const PARALLEL = 4;
/** How often a question is asked that is answered 503. */
const TRIES = 4;

/** Compares the answers on the repository in the bare git repository `gitDir`; `oursUrl` and `httpdUrl` are bases without a final slash. */
export async function compareRepository(
  oursUrl: string,
  httpdUrl: string,
  rid: string,
  gitDir: string,
): Promise<Comparison> {
  const questions = questionsAbout(gitDir);
  const nodeId = await nodeIdOf(oursUrl);
  const differences: string[] = [];
  let equal = 0, left = 0, next = 0;
  const work = async () => {
    while (next < questions.length) {
      const { path, comparable } = questions[next++]!;
      const at = `/api/v1/projects/${rid}${path}`;
      const [ours, theirs] = await Promise.all([askAgain(oursUrl + at), ask(httpdUrl + at)]);
      const body = withoutOwnAlias(ours.body, theirs.body, nodeId) as Json;
      const difference = judge({ ...ours, body }, theirs, comparable);
      if (difference !== undefined) differences.push(`${path}: ${difference}`);
      else if (theirs.status === 200 || theirs.status === 404) equal++;
      else left++;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return { equal, left, differences };
}

interface Answer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly body: Json;
}

async function ask(url: string): Promise<Answer> {
  try {
    const response = await fetch(url);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, body: isJson ? JSON.parse(text) as Json : text };
  } catch {
    return { status: 0, body: null };
  }
}

/** Asks a service that may be out of time, which the machine's load decides. */
async function askAgain(url: string): Promise<Answer> {
  let answer = await ask(url);
  for (let i = 1; i < TRIES && answer.status === 503; i++) answer = await ask(url);
  return answer;
}

function judge(ours: Answer, theirs: Answer, comparable: (answer: Json) => Json): string | undefined {
  if (ours.status === 0 || ours.status >= 500) {
    return `ours answers ${ours.status}, radicle-httpd ${theirs.status}`;
  }
  if (theirs.status !== 200 && theirs.status !== 404) return undefined;
  if (ours.status !== theirs.status) return `ours answers ${ours.status}, radicle-httpd ${theirs.status}`;
  if (ours.status === 404) return undefined;
  const [mine, wanted] = [comparable(ours.body), comparable(theirs.body)];
  return isDeepStrictEqual(mine, wanted) ? undefined : firstDifference(mine, wanted, "$");
}

/** Where two values differ first, in words. */
function firstDifference(mine: Json | undefined, wanted: Json | undefined, at: string): string {
  if (isObject(mine) && isObject(wanted) && Array.isArray(mine) === Array.isArray(wanted)) {
    const names = new Set([...Object.keys(wanted), ...Object.keys(mine)]);
    for (const name of names) {
      if (!isDeepStrictEqual(mine[name], wanted[name])) {
        return firstDifference(mine[name], wanted[name], `${at}.${name}`);
      }
    }
  }
  const shown = (value: Json | undefined) => JSON.stringify(value)?.slice(0, 160) ?? "nothing";
  return `${at}: ours ${shown(mine)}, radicle-httpd ${shown(wanted)}`;
}

function isObject(value: Json | undefined): value is { [member: string]: Json } {
  return typeof value === "object" && value !== null;
}

function questionsAbout(gitDir: string): Question[] {
  const git = (...args: string[]) =>
    execFileSync("git", ["--git-dir", gitDir, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
  const same = (answer: Json) => answer;
  const nids = new Set(
    [...git("for-each-ref", "refs/namespaces").matchAll(/refs\/namespaces\/([^/]+)\//g)].map((m) => m[1]!),
  );
  // Commits of branches only: those of collaborative objects are not meant to be browsed.
  const tips = git("for-each-ref", "--format=%(objectname) %(refname)").split("\n")
    .flatMap((line) => /^(\S+) refs\/(namespaces\/[^/]+\/refs\/)?heads\//.exec(line)?.[1] ?? []);
  const commits = git("rev-list", "--date-order", `--max-count=${COMMIT_LIMIT}`, ...tips).split("\n").filter(
    Boolean,
  );
  const head = git("rev-parse", "HEAD").trim();

  const questions: Question[] = [
    { path: "", comparable: comparableInfo },
    { path: "/remotes", comparable: same },
    ...[...nids].map((nid) => ({ path: `/remotes/${nid}`, comparable: same })),
    { path: "/activity", comparable: same },
    { path: "/commits", comparable: comparableHistory },
    { path: "/commits?page=1&perPage=7", comparable: comparableHistory },
  ];
  const isLong = commits.length > DENSE_LIMIT;
  for (const [at, sha] of commits.entries()) {
    if (isLong && at % COMMIT_STEP !== 0) continue;
    const hasTrees = !isLong || at % SPARSE_STEP === 0;
    questions.push(
      { path: `/commits/${sha}`, comparable: comparableDiff },
      { path: `/readme/${sha}`, comparable: same },
      { path: `/commits?parent=${sha}&perPage=20`, comparable: comparableHistory },
    );
    if (hasTrees) {
      const far = commits[(at * 7 + 13) % commits.length]!;
      questions.push({ path: `/tree/${sha}/`, comparable: comparableTree });
      questions.push({ path: `/diff/${far}/${sha}`, comparable: comparableDiff });
    }
    const changed = git(
      "diff-tree",
      "-r",
      "--root",
      "--no-commit-id",
      "--name-only",
      "-m",
      "--first-parent",
      "-z",
      sha,
    );
    for (const path of changed.split("\0").filter(Boolean).slice(0, PATH_LIMIT)) {
      questions.push({ path: `/blob/${sha}/${encodePath(path)}`, comparable: same });
      const folder = path.includes("/") ? path.replace(/\/[^/]*$/, "") : undefined;
      if (folder && hasTrees) {
        questions.push({ path: `/tree/${sha}/${encodePath(folder)}`, comparable: comparableTree });
      }
    }
  }
  const entries = git("ls-tree", "-r", "-t", "-z", head).split("\0").filter(Boolean);
  const every = Math.ceil(entries.length / HEAD_LIMIT);
  for (const entry of entries.filter((_, i) => i % every === 0)) {
    const [, kind, path] = /^\d+ (\w+) [0-9a-f]+\t(.*)$/s.exec(entry)!;
    if (kind === "blob") questions.push({ path: `/blob/${head}/${encodePath(path!)}`, comparable: same });
    if (kind === "tree") {
      questions.push({ path: `/tree/${head}/${encodePath(path!)}`, comparable: comparableTree });
    }
  }
  const times = git("log", "--format=%ct", "-n", "50", head).split("\n").filter(Boolean).map(Number);
  const [since, until] = [times.at(-1)!, times[Math.floor(times.length / 2)]!];
  questions.push({ path: `/commits?since=${since}&until=${until}`, comparable: comparableHistory });
  return questions;
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
