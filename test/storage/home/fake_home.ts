/** A home of one repository, on files in memory. */
import type { Oid } from "../../../src/ids/oid.ts";
import { createHomeStorage, type HomeStorage } from "../../../src/storage/home/storage.ts";
import { atOnce, type RepositoryAtOnce } from "./at_once.ts";
import { RID } from "../suite.ts";
import { FakeFiles } from "./fake_files.ts";
import { buildPack, type BuiltPack, type PackEntry } from "./pack_builder.ts";

/** The home, and what is done to it. */
export class FakeHome {
  readonly files: FakeFiles = new FakeFiles();
  /** Warnings of the storage. */
  readonly warnings: string[] = [];
  readonly storage: HomeStorage;
  /** Path of the repository. */
  readonly path: string = `/home/storage/${RID.slice("rad:".length)}`;

  constructor(now: () => number = Date.now) {
    const log = (_level: string, message: string) => void this.warnings.push(message);
    this.storage = createHomeStorage({ root: "/home/storage", fileSystem: this.files, log, now });
    this.put("HEAD", "ref: refs/heads/main\n");
    this.put("objects/info/packs", "");
    this.put("refs/heads/main", "ce013625030ba8dba906f756967f9e9ca394464a\n");
  }

  get repository(): RepositoryAtOnce {
    const repository = this.storage.repository(RID);
    return (repository && atOnce(repository))!;
  }

  /** Puts a file into the repository. */
  put(name: string, content: string | Uint8Array): void {
    this.files.put(`${this.path}/${name}`, content);
  }

  /** Puts a file where a loose object would be. */
  putLoose(oid: Oid, content: Uint8Array): void {
    this.put(`objects/${oid.slice(0, 2)}/${oid.slice(2)}`, content);
  }

  putPack(name: string, { pack, index }: Pick<BuiltPack, "pack" | "index">): void {
    this.put(`objects/pack/${name}.pack`, pack);
    this.put(`objects/pack/${name}.idx`, index);
  }

  removePack(name: string): void {
    this.files.remove(`${this.path}/objects/pack/${name}.pack`);
    this.files.remove(`${this.path}/objects/pack/${name}.idx`);
  }

  /** Builds a pack of these entries and puts it. */
  pack(name: string, entries: readonly PackEntry[]): BuiltPack {
    const built = buildPack(entries);
    this.putPack(name, built);
    return built;
  }
}
