/** Makes the git objects of plans. */
import { Buffer } from "node:buffer";
import { createPrivateKey, createPublicKey, sign as signEd25519 } from "node:crypto";
import { base58 } from "@scure/base";
import { hashObject } from "../../../src/git/encode.ts";
import { didOfNid, formatNid } from "../../../src/ids/nid.ts";
import { type Oid, oidToBytes } from "../../../src/ids/oid.ts";
import { findOddity } from "./oddities.ts";
import { type ObjectSink, putText } from "./pack.ts";
import {
  BAD_BYTE,
  type Key,
  type RawCommit,
  type RawFile,
  type RawSignature,
  type Surroundings,
} from "./raw.ts";
import { type EntryPlan, KEYS, type ObjectPlan, planTips } from "./plans.ts";

/** An object that is there. */
export interface BuiltObject {
  readonly plan: ObjectPlan;
  readonly id: Oid;
  readonly entries: readonly Oid[];
}

const PKCS8_HEADER = Buffer.from("302e020100300506032b657004220420", "hex");
const MISSING = "f".repeat(40) as Oid;
const encoder = new TextEncoder();

/** The keys of {@link KEYS}. */
export const keys: readonly Key[] = KEYS.map((byte) => createKey(byte.repeat(32)));

function createKey(seed: string): Key {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_HEADER, Buffer.from(seed, "hex")]),
    format: "der",
    type: "pkcs8",
  });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  const publicKey = Uint8Array.from(spki.subarray(-32));
  return {
    nid: formatNid(publicKey),
    publicKey,
    seed: Uint8Array.from(Buffer.from(seed, "hex")),
    sign: (bytes) => Uint8Array.from(signEd25519(null, bytes, key)),
  };
}

/** Puts the entries of an object and its references. */
export function buildObject(sink: ObjectSink, around: Surroundings, plan: ObjectPlan): BuiltObject {
  const entries: Oid[] = [];
  for (const entry of plan.entries) entries.push(buildEntry(sink, around, plan, entry, entries));
  const [id] = entries;
  if (id === undefined) throw new TypeError("An object needs an entry");
  for (const [key, entry] of planTips(plan)) {
    sink.setRef(
      `refs/namespaces/${around.keys[key]!.nid}/refs/cobs/xyz.radicle.${plan.kind}/${id}`,
      entries[entry]!,
    );
  }
  return { plan, id, entries };
}

function buildEntry(
  sink: ObjectSink,
  around: Surroundings,
  { kind, nonce }: ObjectPlan,
  plan: EntryPlan,
  earlier: readonly Oid[],
): Oid {
  const oddities = (plan.oddities ?? []).map(findOddity);
  const texts = plan.actions.map((text) => fill(text, around, earlier));
  const files = new Map<string, RawFile>([
    ["manifest", { mode: "100644", text: `{"typeName":"xyz.radicle.${kind}","version":1}` }],
    ...texts.map((text, i) => [String(i), { mode: "100644", text }] as const),
  ]);
  if (plan.embed !== undefined) files.set("embeds", { mode: "40000", text: around.identities[plan.embed] });
  for (const { files: change } of oddities) change?.(files, around);
  const tree = putFiles(sink, files, around);

  const key = around.keys[plan.writer]!;
  const resource = plan.document === undefined ? undefined : around.documents.get(plan.document);
  const related = [...new Set(texts.flatMap(relatedOf))].filter((oid) => around.commits.includes(oid)).sort();
  const parents = plan.parents.map((parent) =>
    parent === "missing" ? MISSING : parent === "foreign" ? around.commits[0]! : earlier[parent]!
  ).sort();
  const signature: RawSignature = {
    keyType: "ssh-ed25519",
    publicKey: key.publicKey,
    namespace: "radicle",
    reserved: "",
    hash: "sha256",
    signatureType: "ssh-ed25519",
    signature: key.sign(oidToBytes(tree)),
    version: 1,
    columns: 70,
    rest: [],
  };
  for (const { signature: change } of oddities) change?.(signature, { ...around, tree, key });
  const armour = oddities.reduce((text, { armour }) => armour?.(text) ?? text, toArmour(signature));
  const person = `someone <someone@${key.nid}> ${plan.seconds} +0000`;
  const commit: RawCommit = {
    tree,
    parents: [...parents, ...related, ...resource === undefined ? [] : [resource]],
    author: person,
    committer: person,
    before: [],
    signatures: [`gpgsig ${armour.replaceAll("\n", "\n ")}`],
    after: [],
    title: earlier.length === 0 ? `Object ${nonce}` : "Change",
    trailers: [
      ...related.map((oid) => `Rad-Related: ${oid}`),
      ...resource === undefined ? [] : [`Rad-Resource: ${resource}`],
    ],
    end: "\n",
  };
  for (const { commit: change } of oddities) change?.(commit, { ...around, key });
  const text = oddities.reduce((text, { text: change }) => change?.(text) ?? text, toText(commit));
  return sink.put("commit", toBytes(text));
}

function fill(text: string, around: Surroundings, entries: readonly Oid[]): string {
  const named = (name: string, kind: string | undefined, number: string) => {
    const i = Number(number);
    switch (kind) {
      case "e":
        return entries[i] ?? MISSING;
      case "c":
        return around.commits[i] ?? MISSING;
      case "k":
        return didOfNid(around.keys[i]!.nid);
      case "n":
        return around.keys[i]!.nid;
      case "i":
        return blobOf(around.identities[i]!);
      default:
        return name.startsWith("@blob") ? around.blob : name.startsWith("@tree") ? around.tree : MISSING;
    }
  };
  return text.replace(
    /@(?:([eckni])(\d+)|s(\d+):(\d+)|blob|tree|missing)(?:~(39|up|hex))?/g,
    (name, kind: string | undefined, number: string, signer, document, form: string | undefined) => {
      if (signer !== undefined) return signIdentity(around, Number(signer), Number(document));
      const value = named(name, kind, number);
      switch (form) {
        case "39":
          return value.slice(0, 39);
        case "up":
          return value.toUpperCase();
        case "hex":
          return `did:key:f${
            Buffer.from([0xed, 1, ...around.keys[Number(number)]!.publicKey]).toString("hex")
          }`;
        default:
          return value;
      }
    },
  );
}

/** The signature of a document as identities have it. */
function signIdentity({ keys, identities }: Surroundings, key: number, document: number): string {
  return `z${base58.encode(keys[key]!.sign(oidToBytes(blobOf(identities[document]!))))}`;
}

function blobOf(text: string): Oid {
  return hashObject("blob", encoder.encode(text));
}

/** The text of a document with its names filled in. */
export function fillDocument(text: string, around: Pick<Surroundings, "keys">): string {
  return text.replace(/@([kn])(\d+)/g, (_, kind: string, i: string) => {
    const { nid } = around.keys[Number(i)]!;
    return kind === "k" ? didOfNid(nid) : nid;
  });
}

/** What the programs name as related: commits of revisions and merges. */
function relatedOf(text: string): Oid[] {
  return [...text.matchAll(/"(?:base|oid|commit)":"([0-9a-f]{40})"/g)].map(([, oid]) => oid as Oid);
}

/** Puts a tree of files; a file without text is one whose object is not there. */
export function putFiles(
  sink: ObjectSink,
  files: ReadonlyMap<string, RawFile>,
  around: Pick<Surroundings, "tree">,
): Oid {
  const sortName = (name: string, { mode }: RawFile) => mode === "40000" ? `${name}/` : name;
  const sorted = [...files].sort((a, b) =>
    Buffer.compare(encoder.encode(sortName(...a)), encoder.encode(sortName(...b)))
  );
  const parts = sorted.flatMap(([name, { mode, text }]) => {
    const oid = text === undefined
      ? MISSING
      : mode !== "40000"
      ? sink.put("blob", toBytes(text))
      : text === ""
      ? around.tree
      : putFolder(sink, text);
    return [encoder.encode(`${mode} ${name}\0`), oidToBytes(oid)];
  });
  return sink.put("tree", Buffer.concat(parts));
}

function toArmour(signature: RawSignature): string {
  const container = Buffer.concat([
    encoder.encode("SSHSIG"),
    number(signature.version),
    field(Buffer.concat([field(signature.keyType), field(signature.publicKey)])),
    field(signature.namespace),
    field(signature.reserved),
    field(signature.hash),
    field(Buffer.concat([field(signature.signatureType), field(signature.signature)])),
    Uint8Array.from(signature.rest),
  ]);
  const lines = container.toString("base64").match(new RegExp(`.{1,${signature.columns}}`, "g")) ?? [];
  return ["-----BEGIN SSH SIGNATURE-----", ...lines, "-----END SSH SIGNATURE-----"].join("\n");
}

function toText(
  { tree, parents, author, committer, before, signatures, after, title, trailers, end }: RawCommit,
): string {
  const header = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    ...author === undefined ? [] : [`author ${author}`],
    ...committer === undefined ? [] : [`committer ${committer}`],
    ...before,
    ...signatures,
    ...after,
  ];
  const links = trailers.length > 0 ? `\n${trailers.join("\n")}\n` : "";
  return `${header.join("\n")}\n\n${title}${end}${links}`;
}

function toBytes(text: string): Uint8Array {
  if (!text.includes(BAD_BYTE)) return encoder.encode(text);
  const parts = text.split(BAD_BYTE).flatMap((part, i) =>
    i === 0 ? [encoder.encode(part)] : [Uint8Array.of(0xff), encoder.encode(part)]
  );
  return Buffer.concat(parts);
}

function number(value: number): Uint8Array {
  return Uint8Array.of(value >> 24 & 255, value >> 16 & 255, value >> 8 & 255, value & 255);
}

function field(content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  return Buffer.concat([number(bytes.length), bytes]);
}

function putFolder(sink: ObjectSink, json: string): Oid {
  return sink.put(
    "tree",
    Buffer.concat([encoder.encode("100644 radicle.json\0"), oidToBytes(putText(sink, json))]),
  );
}

/** Puts an identity commit that holds a document. */
export function putDocument(sink: ObjectSink, json: string): Oid {
  const embeds = putFolder(sink, json);
  const tree = sink.put("tree", Buffer.concat([encoder.encode("40000 embeds\0"), oidToBytes(embeds)]));
  const person = "someone <someone@example.org> 1700000000 +0000";
  return sink.put(
    "commit",
    encoder.encode(`tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nDocument\n`),
  );
}
