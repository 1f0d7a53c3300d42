/** Repositories written and read by the real `git`. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Oid } from "../../src/ids/oid.ts";
import type { ObjectKind, Ref } from "../../src/ports/storage.ts";

/** No configuration except the repository's own; all commits with the same author and time. */
export const GIT_ENVIRONMENT: Record<string, string> = {
  PATH: process.env["PATH"] ?? "",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_AUTHOR_NAME: "Alice",
  GIT_AUTHOR_EMAIL: "alice@example.org",
  GIT_AUTHOR_DATE: "1700000000 +0000",
  GIT_COMMITTER_NAME: "Alice",
  GIT_COMMITTER_EMAIL: "alice@example.org",
  GIT_COMMITTER_DATE: "1700000000 +0000",
};

const OUTPUT_LIMIT_BYTES = 2 ** 30;

/** An object in the form of `git cat-file`. */
export interface StoredObject {
  readonly oid: Oid;
  readonly kind: ObjectKind;
  readonly bytes: Uint8Array;
}

/** A bare repository. */
export class GitRepository {
  readonly path: string;

  /** Opens the repository at `path` without creating one. */
  constructor(path: string) {
    this.path = path;
  }

  /** Creates an empty repository. */
  static create(path: string): GitRepository {
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", path], {
      env: GIT_ENVIRONMENT,
    });
    return new GitRepository(path);
  }

  /** Runs a git command and returns its output. Errors have its standard error. */
  run(args: readonly string[], input: string | Uint8Array = ""): Uint8Array {
    const done = spawnSync("git", ["-c", "safe.directory=*", "--git-dir", this.path, ...args], {
      env: GIT_ENVIRONMENT,
      input,
      maxBuffer: OUTPUT_LIMIT_BYTES,
    });
    if (done.status !== 0) throw new Error(`git ${args.join(" ")}: ${done.error ?? done.stderr}`);
    return done.stdout;
  }

  /** Runs a git command with text output. */
  text(args: readonly string[], input?: string | Uint8Array): string {
    return new TextDecoder().decode(this.run(args, input)).trim();
  }

  /** Stores a loose object. */
  put(kind: ObjectKind, content: string | Uint8Array): Oid {
    return this.text(["hash-object", "-w", "-t", kind, "--stdin", "--literally"], content) as Oid;
  }

  setRef(name: string, oid: Oid): void {
    this.run(["update-ref", name, oid]);
  }

  setSymbolicRef(name: string, target: string): void {
    this.run(["symbolic-ref", name, target]);
  }

  /** All objects, packed or loose, by `git cat-file`. */
  objects(): StoredObject[] {
    const output = this.run(["cat-file", "--batch-all-objects", "--batch"]);
    const objects: StoredObject[] = [];
    for (let at = 0; at < output.length;) {
      const lineEnd = output.indexOf(0x0a, at);
      const [oid, kind, size] = new TextDecoder().decode(output.subarray(at, lineEnd)).split(" ");
      const end = lineEnd + 1 + Number(size);
      objects.push({
        oid: oid as Oid,
        kind: kind as ObjectKind,
        bytes: Uint8Array.from(output.subarray(lineEnd + 1, end)),
      });
      at = end + 1;
    }
    return objects;
  }

  /** All references, by `git for-each-ref`. */
  refs(): Ref[] {
    const lines = this.text(["for-each-ref", "--format=%(refname) %(objectname) %(symref)"]).split("\n");
    return lines.filter((line) => line !== "").map((line) => {
      const [name = "", oid, target] = line.split(" ");
      return target ? { name, target } : { name, oid: oid as Oid };
    });
  }

  /**
   * Commits a history on `main`, packed. Each commit changes one of some files, so that there are deltas of
   * blobs and trees.
   */
  importHistory(commits: number): void {
    this.run(["fast-import", "--quiet", "--date-format=raw"], historyStream(commits));
  }
}

/** Creates a folder for a test; remove it with {@link removeFolder}. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), "storage-"));
}

/** Removes a folder with its content. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/**
 * Input of `git fast-import`: files of some dozen lines in three folders; each commit changes one line of one
 * file.
 */
function historyStream(commits: number): string {
  const files = Array.from({ length: 60 }, (_, file) => ({
    name: `${["docs", "src", "src/parts"][file % 3]}/file${file}.txt`,
    lines: Array.from({ length: 10 + file }, (_, line) => `line ${line} of file ${file}, as it was at first`),
  }));
  const parts: string[] = [];
  for (let commit = 0; commit < commits; commit++) {
    const { name, lines } = files[(commit * 7919) % files.length]!;
    lines[(commit * 31) % lines.length] = `changed by commit ${commit}, which is number ${commit * 7907}`;
    const message = `Change ${name}\n\nThis is commit ${commit}.\n`;
    const content = lines.join("\n") + "\n";
    parts.push(
      `commit refs/heads/main\nmark :${commit + 1}\ncommitter Alice <alice@example.org> ${
        1_700_000_000 + commit * 60
      } +0000\n`,
      `data ${message.length}\n${message}`,
      commit > 0 ? `from :${commit}\n` : "",
      `M 100644 inline ${name}\ndata ${content.length}\n${content}\n`,
    );
  }
  return parts.join("");
}

/** A commit of files without a parent. */
export function commitOf(git: GitRepository, files: Readonly<Record<string, string>>): string {
  const entries = Object.entries(files).map(([name, text]) =>
    `100644 blob ${git.put("blob", text)}\t${name}\n`
  );
  return git.text(["commit-tree", git.text(["mktree"], entries.join("")), "-m", "A commit"]);
}
