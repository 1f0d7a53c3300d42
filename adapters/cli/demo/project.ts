/** A repository of the demo in the making. */
import { draftInit, initRepository } from "./repository_init.ts";
import type { Visibility } from "../../../src/identity/doc.ts";
import { didOfNid } from "../../../src/ids/did.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { WritableFileSystem } from "../../../src/ports/file_system.ts";
import { isWritable, type WritableRepository } from "../../../src/ports/storage.ts";
import { createHomeRepository } from "./new_repository.ts";
import type { HomeStorage } from "../../../src/storage/home/storage.ts";
import type { Clock } from "./clock.ts";
import type { History, Snapshot } from "./history.ts";
import { type Member, moveRef } from "./member.ts";

/** The place in which repositories are made. */
export interface Place {
  readonly fileSystem: WritableFileSystem;
  /** Path of the `storage` folder. */
  readonly root: string;
  readonly storage: HomeStorage;
  readonly clock: Clock;
  /** The owner of the home, sole delegate of all repositories. */
  readonly owner: Member;
}

/** Name and visibility of a repository. */
export interface ProjectDraft {
  readonly name: string;
  readonly description: string;
  readonly visibility: Visibility["type"];
}

/** Name of the default branch of all of them. */
const BRANCH = "main";

/** A repository and how it grows. */
export class Project {
  readonly rid: RepoId;
  readonly repository: WritableRepository;
  readonly history: History;
  readonly clock: Clock;
  readonly owner: Member;

  private constructor(repository: WritableRepository, history: History, { clock, owner }: Place) {
    this.rid = repository.rid;
    this.repository = repository;
    this.history = history;
    this.clock = clock;
    this.owner = owner;
  }

  /** Founds a repository whose default branch begins at a commit of that history. */
  static async found(
    place: Place,
    { name, description, visibility }: ProjectDraft,
    history: History,
    head: Snapshot,
  ): Promise<Project> {
    const { fileSystem, root, storage, clock, owner: { alias, nid, signer } } = place;
    clock.later(1);
    const { nowSeconds: timeSeconds } = clock;
    const init = await draftInit({
      doc: {
        delegates: [didOfNid(nid)],
        threshold: 1,
        visibility: { type: visibility },
        project: { name, description, defaultBranch: BRANCH },
      },
      person: { name: alias, email: `${alias}@${nid}` },
      timeSeconds,
    }, signer);
    const { rid, symbolicRefs } = init;
    await createHomeRepository(fileSystem, root, { rid, symbolicRefs });
    const repository = storage.repository(rid);
    if (repository === undefined || !isWritable(repository)) {
      throw new Error(`Cannot make the demo: no ${rid}`);
    }
    await history.write(repository);
    await initRepository(repository, init, {
      signer,
      head: head.oid,
      timeSeconds,
      generation: "newest",
    });
    return new Project(repository, history, place);
  }

  /** Lets the owner push the default branch: as sole delegate, so that it is the repository's, too. */
  async push(head: Snapshot): Promise<void> {
    await this.history.write(this.repository);
    await moveRef(this.repository, `refs/heads/${BRANCH}`, head.oid);
    await this.owner.publish(this.repository, { [`refs/heads/${BRANCH}`]: head.oid });
  }
}
