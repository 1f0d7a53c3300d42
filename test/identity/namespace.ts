/** A namespace to be signed: a repository in memory with an identity, two commits and one branch of Alice. */
import { parseCommit } from "../support/commits.ts";
import { findPath, splitPath } from "../../src/git/objects.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { signRefs } from "../../src/identity/sigrefs_writer.ts";
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Signer } from "../../src/ports/signer.ts";
import type { Repository, WritableRepository } from "../../src/ports/storage.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { signerOf } from "../support/keys.ts";
import { ALICE, ALICE_SEED, createRepository, putCommit } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

/** When everything is signed. */
export const TIME_SECONDS = 1671125284;
/** The id that no object has. */
export const ZERO = "0".repeat(40) as Oid;

/** A reference's name in a namespace. */
export const fullName = (nid: NodeId, name: string): string => `refs/namespaces/${nid}/${name}`;

/** Alice's namespace and what is done to it. */
export class Namespace {
  readonly repository: MemoryRepository = createRepository(createMemoryStorage(), { name: "hello" });
  /** The root of the identity. */
  readonly identity: Oid = this.repository.ref("refs/rad/id")!.oid!;
  /** Two commits, the first being the parent of the second. `refs/heads/master` is at the first. */
  readonly one: Oid = putCommit(this.repository, { folder: { a: "1" }, message: "One\n" });
  readonly two: Oid = putCommit(this.repository, {
    folder: { a: "2" },
    message: "Two\n",
    parents: [this.one],
  });
  readonly signer: Signer;

  constructor(signer: Signer) {
    this.signer = signer;
    this.set("refs/heads/master", this.one);
  }

  static async create(): Promise<Namespace> {
    return new Namespace(await signerOf(ALICE_SEED));
  }

  set(name: string, oid: Oid): void {
    this.repository.setRef(fullName(ALICE, name), oid);
  }

  /** The commit of the signed references. */
  tip(): Oid | undefined {
    return this.repository.ref(fullName(ALICE, "refs/rad/sigrefs"))?.oid;
  }

  sign(
    generation: HomeGeneration,
    repository: WritableRepository = this.repository,
    timeSeconds = TIME_SECONDS,
  ): Promise<Oid> {
    return signRefs(repository, { nid: ALICE, signer: this.signer, timeSeconds, generation });
  }

  /** What a commit of signed references says. */
  async text(commit: Oid): Promise<string> {
    return new TextDecoder().decode(await readFile(this.repository, commit, "refs"));
  }

  /** The names in it. */
  async names(commit: Oid): Promise<string[]> {
    return (await this.text(commit)).trimEnd().split("\n").map((line) => line.slice(ZERO.length + 1));
  }

  parents(commit: Oid): readonly Oid[] {
    return parseCommit(this.repository.object(commit)!.bytes).parents;
  }

  /** Lets the namespace have a commit of signed references as somebody else might have made it; the signature is Alice's by default. */
  async putSigned(text: string, parents: readonly Oid[] = [], signature?: Uint8Array): Promise<Oid> {
    const folder = {
      refs: text,
      signature: signature ?? await this.signer.sign(new TextEncoder().encode(text)),
    };
    const commit = putCommit(this.repository, { folder, parents, message: "Update signed refs\n" });
    this.set("refs/rad/sigrefs", commit);
    return commit;
  }
}

/** A file of a commit's tree. */
export async function readFile(repository: Repository, commit: Oid, path: string): Promise<Uint8Array> {
  const { tree } = parseCommit((await repository.object(commit))!.bytes);
  const entry = await findPath(repository, tree, splitPath(path), new Task());
  return (await repository.object(entry!.oid))!.bytes;
}

/** A repository with other methods in place of some of its own. */
export function changed(
  repository: MemoryRepository,
  methods: Partial<WritableRepository>,
): WritableRepository {
  return { ...repository, ...methods };
}
