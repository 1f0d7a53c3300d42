/** Many git objects and references, put into a bare repository at once: one pack, one file of references. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Oid } from "../../../src/ids/oid.ts";
import type { ObjectKind } from "../../../src/ports/storage.ts";
import type { GitRepository } from "../../support/git.ts";

/** Where objects and references are put: this pack, a repository in memory, or a bare one on disk. */
export interface ObjectSink {
  /** Keeps an object, whatever its content is, and returns its id. */
  put(kind: ObjectKind, bytes: Uint8Array): Oid;
  /** Lets a reference lead to an object, whether that is there or not. */
  setRef(name: string, oid: Oid): void;
}

/** Kinds of objects as packs number them. */
const NUMBERS = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
/** Level of compression: the pack is read a few times and thrown away. */
const LEVEL = 1;
const encoder = new TextEncoder();

/** Collects objects and references until {@link write}. */
export class ObjectPack implements ObjectSink {
  readonly #objects = new Map<Oid, Uint8Array>();
  readonly #refs = new Map<string, Oid>();

  put(kind: ObjectKind, bytes: Uint8Array): Oid {
    const oid = createHash("sha1").update(`${kind} ${bytes.length}\0`).update(bytes).digest("hex") as Oid;
    if (!this.#objects.has(oid)) this.#objects.set(oid, toPacked(kind, bytes));
    return oid;
  }

  setRef(name: string, oid: Oid): void {
    this.#refs.set(name, oid);
  }

  /** Puts everything into a repository. References that are there as files of their own win over those of the same name here. */
  write(git: GitRepository): void {
    const count = this.#objects.size;
    const header = [
      0x50,
      0x41,
      0x43,
      0x4b,
      0,
      0,
      0,
      2,
      count >> 24,
      count >> 16 & 255,
      count >> 8 & 255,
      count & 255,
    ];
    const body = Buffer.concat([Uint8Array.from(header), ...this.#objects.values()]);
    const pack = Buffer.concat([body, createHash("sha1").update(body).digest()]);
    git.run(["index-pack", "--stdin"], pack);

    const path = join(git.path, "packed-refs");
    const present = existsSync(path) ? readFileSync(path, "utf8") : "";
    const refs = new Map(this.#refs);
    for (const [, oid, name] of present.matchAll(/^([0-9a-f]{40}) (\S+)$/gm)) {
      if (!refs.has(name!)) refs.set(name!, oid as Oid);
    }
    const lines = [...refs].sort(([a], [b]) => a < b ? -1 : 1).map(([name, oid]) => `${oid} ${name}\n`);
    writeFileSync(path, `# pack-refs with: sorted\n${lines.join("")}`);
  }
}

/** Puts a blob of text. */
export function putText(sink: ObjectSink, text: string): Oid {
  return sink.put("blob", encoder.encode(text));
}

function toPacked(kind: ObjectKind, bytes: Uint8Array): Uint8Array {
  const header: number[] = [];
  let rest = bytes.length >> 4;
  let byte = NUMBERS[kind] << 4 | bytes.length & 15;
  for (; rest > 0; rest >>= 7) {
    header.push(byte | 128);
    byte = rest & 127;
  }
  header.push(byte);
  return Buffer.concat([Uint8Array.from(header), deflateSync(bytes, { level: LEVEL })]);
}
