/** Handlers for files and folders of a commit (specification, 4.2.6, 4.2.8). */
import {
  type File,
  type FileLimits,
  findFile,
  findFolder,
  findReadme,
  lastCommitOfFolder,
} from "../browse/files.ts";
import { branchCount, immutable, revalidated, type Subject } from "./cacheable.ts";
import type { Call, Handler } from "./call.ts";
import { commitOf, type OpenRepository, requireCommit } from "./opened_repository.ts";
import { commitViewOf, parseCommitPath, readPath } from "./dialect.ts";
import type { Blob, Tree } from "../contract/tree.ts";
import { TreeQuery } from "../contract/queries.ts";
import { historyStats } from "../git/branches.ts";
import type { Answer, AnswerOf } from "../http/answer.ts";
import { readQuery } from "../http/parameters.ts";
import { GATHERED_BYTES, json } from "../http/respond.ts";
import { treePieces } from "../views/tree.ts";
import type { Oid } from "../ids/oid.ts";
import { blobPieces, MAX_SHOWN_BYTES } from "../views/blob.ts";

export const showFile: Handler<Blob> = immutable(readFilePath, showBlob);

export const showReadmeFile: Handler<Blob> = immutable(parseCommitPath, showReadme);

export const showTreeStats: Handler = revalidated(parseCommitPath, showSize, branchCount);

export const countCommits: Handler = immutable(parseCommitPath, showCount);

const folders = {
  v1: revalidated(readFolder, showTree, branchCount),
  today: immutable(readFilePath, showTree),
};

/** Shows a folder. In the `/repos` dialect, the response never changes. */
export function showFolder(call: Call): Promise<AnswerOf<Tree>> {
  return folders[call.dialect](call);
}

/** Names of a readme file in version 1, in the order of preference. */
const README_NAMES = ["README", "README.md", "README.markdown", "README.txt", "README.rst", "Readme.md"];
/** Names of a readme file by dialect. */
const README_CANDIDATES = {
  v1: withLowerCase(README_NAMES),
  today: withLowerCase([...README_NAMES.slice(0, -1), "README.org", "Readme.md"]),
};

function withLowerCase(names: readonly string[]): readonly string[] {
  return [...names, ...names.map((name) => name.toLowerCase())];
}

interface AtCommit extends Subject {
  readonly oid: Oid;
}

interface AtPath extends AtCommit {
  readonly path: string;
  /** Whether the entries of a folder have their ids; `undefined` means the default of the dialect. */
  readonly oids?: string;
}

async function readFilePath(call: Call): Promise<AtPath> {
  const { rid, sha } = readPath(call, () => ({ sha: call.commitish("sha") }));
  const path = call.param("path");
  return { rid, oid: await commitOf(call, sha, () => call.repository(rid)), path };
}

async function readFolder(call: Call): Promise<AtPath> {
  const [rid, sha, path] = [call.rid("project"), call.commitish("sha"), call.param("path")];
  const { oids } = readQuery(call.url, TreeQuery);
  return { rid, oid: await commitOf(call, sha, () => call.repository(rid)), path, oids };
}

/**
 * Shows a folder. In the `/repos` dialect, entries have their ids, and there are no statistics. Choice: In
 * the `/repos` dialect, `lastCommit` is the requested commit, as in `radicle-httpd`.
 */
async function showTree(call: Call, { oid, path, oids }: AtPath, repository: OpenRepository) {
  const isToday = call.dialect === "today";
  const tip = await requireCommit(repository, oid);
  const tree = await findFolder(repository, tip, path);
  const lastCommit = isToday ? oid : await lastCommitOfFolder(repository, tip, path);
  const commit = await commitViewOf(call)(repository.objects, lastCommit, call.task);
  const stats = isToday ? undefined : await historyStats(repository, tip);
  const pieces = treePieces(
    tree.bytes,
    path,
    commit,
    { stats, withOids: isToday || oids === "true" },
    call.task,
  );
  return await call.answer<Tree>(pieces, {
    heldBytes: tree.bytes.length,
    release: tree.release,
  });
}

async function showBlob(call: Call, { oid, path }: AtPath, repository: OpenRepository) {
  const tip = await requireCommit(repository, oid);
  const file = await findFile(repository, tip, path, filesFor(call));
  return await fileAnswer(call, repository, { ...file, path });
}

async function showReadme(call: Call, { oid }: AtCommit, repository: OpenRepository) {
  const tip = await requireCommit(repository, oid);
  const file = await findReadme(repository, tip, README_CANDIDATES[call.dialect], filesFor(call));
  return await fileAnswer(call, repository, file);
}

/**
 * Limits for files. In the `/repos` dialect, the last commit of a file is found as by `git log`, as in
 * `radicle-httpd`.
 */
function filesFor(call: Call): FileLimits {
  return {
    maxBytes: MAX_SHOWN_BYTES,
    requireRoom: (bytes) => call.requireRoom(bytes),
    passesMerges: call.dialect === "today",
  };
}

async function showSize(_call: Call, { oid }: AtCommit, repository: OpenRepository): Promise<Answer> {
  const tip = await requireCommit(repository, oid);
  return json(await historyStats(repository, tip));
}

async function showCount(_call: Call, { oid }: AtCommit, repository: OpenRepository): Promise<Answer> {
  const commits = await repository.graph.countCommits(await requireCommit(repository, oid));
  return json({ commits });
}

/**
 * Maximum size of a file that is sent as a whole, so that the response can be cached, in bytes. Larger files
 * are streamed, so that little more than the file is in memory.
 */
const MAX_GATHERED_FILE_BYTES = 12 * 2 ** 20;

async function fileAnswer(
  call: Call,
  { objects }: OpenRepository,
  { bytes, release, lastCommit, path }: File & { readonly path: string },
): Promise<AnswerOf<Blob>> {
  const commit = await commitViewOf(call)(objects, lastCommit, call.task);
  const size = bytes.length;
  return await call.answer(pieces(), {
    gatheredBytes: size > MAX_GATHERED_FILE_BYTES ? GATHERED_BYTES : 4 / 3 * MAX_GATHERED_FILE_BYTES,
    heldBytes: size,
  });

  async function* pieces(): AsyncGenerator<string> {
    try {
      yield* blobPieces(bytes, path, commit);
    } finally {
      release?.();
    }
  }
}
