/**
 * A bare repository on the disk, written as one pack and one `packed-refs` file: the fastest way to write
 * many objects and references.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { ObjectKind } from "../../src/ports/storage.ts";
import { compareUtf8 } from "../../src/text/utf8.ts";
import type { DiskTarget } from "./target.ts";

const TYPES: Record<ObjectKind, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const REF_DELTA = 7;
const CONFIG = "[core]\n\tbare = true\n\trepositoryformatversion = 0\n\tfilemode = true\n";

/** A repository being written; it is readable only after {@link DiskRepository.finish}. */
export class DiskRepository implements DiskTarget {
  /** Path of the repository. */
  readonly path: string;
  readonly #entries = new Map<Oid, { readonly offset: number; readonly crc: number }>();
  readonly #refs = new Map<string, Oid>();
  readonly #symbolicRefs = new Map<string, string>();
  readonly #chunks: Uint8Array[] = [];
  #length = 12;

  /** @param root Path of the `storage` folder of a home. */
  constructor(root: string, rid: RepoId) {
    this.path = join(root, rid.slice("rad:".length));
    for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags"]) {
      mkdirSync(join(this.path, folder), { recursive: true });
    }
    writeFileSync(join(this.path, "config"), CONFIG);
  }

  put(kind: ObjectKind, bytes: Uint8Array): Oid {
    const oid = createHash("sha1").update(`${kind} ${bytes.length}\0`).update(bytes).digest("hex") as Oid;
    if (!this.#entries.has(oid)) this.#add(oid, TYPES[kind], Buffer.alloc(0), bytes);
    return oid;
  }

  putDelta(oid: Oid, base: Oid, delta: Uint8Array): void {
    this.#add(oid, REF_DELTA, Buffer.from(base, "hex"), delta);
  }

  setRef(name: string, oid: Oid): void {
    this.#refs.set(name, oid);
  }

  setLooseRef(name: string, oid: Oid): void {
    this.putFile(name, `${oid}\n`);
  }

  removeRef(name: string): void {
    this.#refs.delete(name);
  }

  setSymbolicRef(name: string, target: string): void {
    this.#symbolicRefs.set(name, target);
  }

  /** Writes the pack, its index and the references. */
  finish(): void {
    for (const [name, target] of this.#symbolicRefs) this.putFile(name, `ref: ${target}\n`);
    const lines = [...this.#refs].sort(([a], [b]) => compareUtf8(a, b)).map(([name, oid]) =>
      `${oid} ${name}\n`
    );
    writeFileSync(
      join(this.path, "packed-refs"),
      `# pack-refs with: peeled fully-peeled sorted \n${lines.join("")}`,
    );
    const header = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
    header.writeUInt32BE(this.#entries.size, 8);
    const hash = createHash("sha1");
    const name = join(this.path, "objects/pack/pack-hostile");
    const file = openSync(`${name}.pack`, "w");
    for (const chunk of [header, ...this.#chunks]) {
      hash.update(chunk);
      writeSync(file, chunk);
    }
    const sum = hash.digest();
    writeSync(file, sum);
    closeSync(file);
    writeFileSync(`${name}.idx`, this.#index(sum));
    this.#chunks.length = 0;
    this.#entries.clear();
    this.#refs.clear();
  }

  putFile(name: string, content: string): void {
    mkdirSync(join(this.path, name, ".."), { recursive: true });
    writeFileSync(join(this.path, name), content);
  }

  #add(oid: Oid, type: number, prefix: Uint8Array, bytes: Uint8Array): void {
    const size = [type << 4 | bytes.length % 16];
    for (let rest = Math.floor(bytes.length / 16); rest > 0; rest = Math.floor(rest / 128)) {
      size[size.length - 1]! |= 128;
      size.push(rest % 128);
    }
    const chunk = Buffer.concat([
      Uint8Array.from(size),
      prefix,
      deflateSync(bytes, { level: 1 }),
    ]);
    this.#entries.set(oid, { offset: this.#length, crc: crc32(chunk) });
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  #index(pack: Uint8Array): Uint8Array {
    const entries = [...this.#entries].sort(([a], [b]) => a < b ? -1 : 1);
    const count = entries.length;
    const bytes = Buffer.alloc(8 + 1024 + count * 28 + 40);
    bytes.writeUInt32BE(0xff744f63, 0);
    bytes.writeUInt32BE(2, 4);
    const [oidsAt, crcsAt, offsetsAt] = [1032, 1032 + 20 * count, 1032 + 24 * count];
    entries.forEach(([oid, { offset, crc }], i) => {
      bytes.write(oid, oidsAt + 20 * i, "hex");
      bytes.writeUInt32BE(crc, crcsAt + 4 * i);
      bytes.writeUInt32BE(offset, offsetsAt + 4 * i);
      const first = parseInt(oid.slice(0, 2), 16);
      bytes.writeUInt32BE(i + 1, 8 + 4 * first);
    });
    for (let first = 1; first < 256; first++) {
      if (bytes.readUInt32BE(8 + 4 * first) === 0) {
        bytes.writeUInt32BE(bytes.readUInt32BE(8 + 4 * (first - 1)), 8 + 4 * first);
      }
    }
    bytes.set(pack, offsetsAt + 4 * count);
    createHash("sha1").update(bytes.subarray(0, -20)).digest().copy(bytes, bytes.length - 20);
    return bytes;
  }
}
