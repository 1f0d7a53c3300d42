/**
 * A home on the disk with repositories by the real git, and a service on it, on the runtime that runs the
 * test.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { HomeApi } from "../../adapters/home/home.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { adapter } from "../adapters/this_runtime.ts";
import { documentOf, found } from "../hostile/target.ts";
import { askChecked } from "./contract.ts";
import { GitRepository } from "./git.ts";
import { removeFolder, temporaryFolder, unpackHome } from "./programs.ts";

/** An answer with its body read. */
export interface GitAnswer {
  readonly status: number;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  // deno-lint-ignore no-explicit-any -- tests read members of any answer
  readonly body: any;
}

/** A public repository with an identity. `master` and `HEAD` point to its first commit. */
export interface MadeRepository {
  readonly rid: RepoId;
  readonly git: GitRepository;
  readonly head: Oid;
  /** Requests a path below the repository: of version 1, or of today's service if it starts with `today`. */
  get(path: string): Promise<GitAnswer>;
  /** Makes a commit of a tree; its message is "A commit". */
  commit(tree: string, ...parents: string[]): Oid;
  /** Makes a tree of lines as `git ls-tree` prints them; the objects may be missing. */
  tree(...lines: string[]): Oid;
}

/** The home and its service. */
export class GitHome {
  readonly folder: string;
  readonly #home: string;
  /** Lines of the service's log. */
  readonly log: string[] = [];
  #api: HomeApi | undefined;

  /** @param name Name of the test, for its folder. */
  constructor(name: string) {
    this.folder = temporaryFolder(name);
    this.#home = unpackHome("today/edge-nocache.tar.gz", this.folder);
  }

  /** Makes a repository. */
  create(name: string): MadeRepository {
    const { rid } = documentOf(name);
    const path = join(this.#home, "storage", rid.slice("rad:".length));
    mkdirSync(path, { recursive: true });
    const git = GitRepository.create(path);
    const { head } = found(git, name);
    return {
      rid,
      git,
      head,
      get: (path) =>
        this.get(path.startsWith("today") ? `/repos/${rid}${path.slice(5)}` : `/projects/${rid}${path}`),
      commit: (tree, ...parents) =>
        git.text(["commit-tree", "-m", "A commit", ...parents.flatMap((one) => ["-p", one]), tree]) as Oid,
      tree: (...lines) => git.text(["mktree", "--missing"], lines.map((line) => `${line}\n`).join("")) as Oid,
    };
  }

  /** Requests a path below `/api/v1`, or from the root if it starts with two slashes, as a stranger. */
  async get(path: string): Promise<GitAnswer> {
    this.#api ??= await adapter.createHomeApi({
      home: this.#home,
      environment: { log: (_level, message) => void this.log.push(message) },
    });
    const url = `http://localhost${path.startsWith("//") ? path.slice(1) : `/api/v1${path}`}`;
    const response = await askChecked(this.#api.api, new Request(url));
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const isJson = response.headers.get("content-type") === "application/json" && text !== "";
    return { status: response.status, text, bytes, body: isJson ? JSON.parse(text) : undefined };
  }

  /** Ends the service. The next request starts a new one. */
  async restart(): Promise<void> {
    await this.#api?.close();
    this.#api = undefined;
  }

  async remove(): Promise<void> {
    await this.restart();
    removeFolder(this.folder);
  }
}
