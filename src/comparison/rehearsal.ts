/** A comparison that nobody asked for: what follows finds libgit2 compiled. */
import type { Libgit2 } from "../diff/libgit2.ts";
import { hashObject } from "../git/encode_object.ts";
import { encodeTree } from "../git/encode_tree.ts";
import { MODE } from "../git/tree.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { GitObject, ObjectKind, Repository } from "../ports/storage.ts";
import { makeDiff } from "./make.ts";

const encoder = new TextEncoder();

/** Compares two trees of a few lines, among them a file like two that are gone: of those libgit2 has to choose. Never rejects: whatever is wrong will be said when somebody asks. */
export async function rehearse(libgit2: Libgit2): Promise<void> {
  const objects = new Map<Oid, GitObject>();
  const put = (kind: ObjectKind, bytes: Uint8Array): Oid => {
    const oid = hashObject(kind, bytes);
    objects.set(oid, { kind, bytes });
    return oid;
  };
  const putFolder = (files: Readonly<Record<string, string>>): Oid =>
    put(
      "tree",
      encodeTree(
        Object.entries(files).map(([name, text]) => ({
          mode: MODE.blob,
          name: encoder.encode(name),
          oid: put("blob", encoder.encode(text)),
        })),
      ),
    );
  const text = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");
  const old = putFolder({ changed: text, one: `${text}end\n`, other: `${text}end\n` });
  const now = putFolder({ changed: `${text}more\n`, to: `start\n${text}end\n` });
  await makeDiff(libgit2, repositoryOf(objects), old, now).catch(() => {});
}

function repositoryOf(objects: ReadonlyMap<Oid, GitObject>): Repository {
  return {
    rid: "rad:z" as RepoId,
    ref: () => undefined,
    refs: () => [],
    header(oid) {
      const object = objects.get(oid);
      return object && { kind: object.kind, size: object.bytes.length };
    },
    object: (oid) => objects.get(oid),
    objects: (oids) => oids.map((oid) => objects.get(oid)),
  };
}
