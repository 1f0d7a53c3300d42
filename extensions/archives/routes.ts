/**
 * Sends archives of commits and trees as tar, gzipped tar or zip, as the `/repos` dialect of `radicle-httpd`
 * does (docs/api.md, 4.13).
 */
import { COMPRESSOR_BYTES, gzipPieces } from "./deflate.ts";
import { archiveEntries, type ArchiveEntry, measureArchive } from "./entries.ts";
import { type ArchiveOrigin, tarPieces } from "./tar.ts";
import { checkZipSize, zipPieces } from "./zip.ts";
import {
  type AnswerOf,
  byteStream,
  type Call,
  commitOf,
  findNamed,
  followTags,
  type Handler,
  immutable,
  isOid,
  NotFoundError,
  type Oid,
  type OpenRepository,
  parseCommitHeader,
  parseCommitish,
  readObject,
  readQuery,
  type Subject,
  type Task,
} from "../../src/mod.ts";
import { ArchiveQuery } from "./request.ts";

export const showArchiveOfRef: Handler<Uint8Array> = immutable(readNamed, archive);

export const showArchive: Handler<Uint8Array> = immutable(readCommitish, archive);

/** Timeout for sending an archive, in milliseconds. The timeout also applies to slow clients. */
export const MAX_ARCHIVE_MS = 30 * 60_000;

/** Memory of an archive while it is sent, without its largest file, in bytes. */
const HELD_BYTES = 256 * 1024 + COMPRESSOR_BYTES;
/**
 * Time of all entries in an archive of a tree, in seconds since the Unix epoch. A tree has no time, so the
 * earliest time of the zip format is used.
 */
const TREE_TIME_SECONDS = Date.UTC(1980, 0, 1) / 1000;

/** Media types of archives by file name extension. */
const FORMS = {
  "tar.gz": "application/gzip",
  "tar": "application/x-tar",
  "zip": "application/zip",
} as const;
type Form = keyof typeof FORMS;

const ENDING = /^(.+)\.(tar\.gz|tar|zip)$/s;

interface Asked extends Subject {
  readonly oid: Oid;
  /** Name of the object in the request, which becomes part of the file name. */
  readonly name: string;
  readonly form: Form;
  /** Whether all entries are inside a folder. */
  readonly prefix: "true" | "false";
}

/** Finds the object that a name refers to at this moment. */
async function readNamed(call: Call): Promise<Asked> {
  const rid = call.rid("rid");
  const text = call.param("ref");
  const [, name = text, form = "tar.gz"] = ENDING.exec(text) ?? [];
  const { prefix } = readQuery(call.url, ArchiveQuery);
  const oid = await findNamed(await call.repository(rid), name);
  if (oid === undefined) throw new NotFoundError(`Name "${name}" was not found`);
  call.hasMovingName = true;
  return { rid, oid, name, form: form as Form, prefix };
}

async function readCommitish(call: Call): Promise<Asked> {
  const rid = call.rid("rid");
  const [, name, form] = ENDING.exec(call.param("archive")) ?? [];
  if (name === undefined) throw new NotFoundError("Not Found");
  const commitish = parseCommitish(name);
  const { prefix } = readQuery(call.url, ArchiveQuery);
  const oid = await commitOf(call, commitish, () => call.repository(rid));
  return { rid, oid, name: isOid(commitish) ? oid : name, form: form as Form, prefix };
}

async function archive(call: Call, asked: Asked, repository: OpenRepository): Promise<AnswerOf<Uint8Array>> {
  const { objects, rid, doc } = repository;
  const { tree, commit, timeSeconds } = await readOrigin(objects, asked.oid);
  const title = `${doc?.project?.name ?? rid.slice("rad:".length)}-${asked.name}`
    // Replaces characters that header fields cannot contain, and characters with which a folder name could
    // lead out of the folder.
    .replace(/[/\\:"\p{Cc}]/gu, "-");
  const headers = {
    "content-type": FORMS[asked.form],
    "content-disposition": dispositionOf(`${title}.${asked.form}`),
    "x-content-type-options": "nosniff",
  };
  if (call.request.method === "HEAD") return { status: 200, headers, body: undefined };
  const size = await measureArchive(objects, tree, call.task);
  const folder = asked.prefix === "true" ? `${title}/` : "";
  const directoryBytes = asked.form === "zip" ? checkZipSize(size, folder) : 0;
  const heldBytes = 2 * size.largest + directoryBytes + HELD_BYTES;
  const entries = archiveEntries(objects, tree, folder, call.task);
  const origin = { commit, timeSeconds };
  const stream = toStream(piecesOf(asked.form, entries, origin, call.task), (error) => {
    call.service.environment.log("warn", "An archive was cut off", error);
  });
  return { status: 200, headers, body: { stream, heldBytes } };
}

function piecesOf(form: Form, entries: AsyncIterable<ArchiveEntry>, origin: ArchiveOrigin, task: Task) {
  if (form === "zip") return zipPieces(entries, origin, task);
  const pieces = tarPieces(entries, origin);
  return form === "tar" ? pieces : gzipPieces(pieces, task);
}

/**
 * Returns the tree of an object, with the id and time of its commit.
 *
 * @throws {NotFoundError} when neither a commit nor a tree has this id.
 */
async function readOrigin(
  objects: OpenRepository["objects"],
  oid: Oid,
): Promise<
  { readonly tree: Oid } & ArchiveOrigin
> {
  const [target = oid] = await followTags(objects, [oid]);
  const header = await objects.header(target);
  if (header?.kind === "tree") return { tree: target, commit: undefined, timeSeconds: TREE_TIME_SECONDS };
  const { tree, timeSeconds } = parseCommitHeader((await readObject(objects, target, "commit")).bytes);
  return { tree, commit: target, timeSeconds };
}

/**
 * Formats the header field that suggests a file name (RFC 6266). The field also contains the name in US-ASCII
 * for old clients.
 */
function dispositionOf(file: string): string {
  const plain = file.replace(/[^\x20-\x7e]/g, "_");
  const whole = plain === file
    ? ""
    : `; filename*=UTF-8''${encodeURIComponent(file).replace(/['()*]/g, percent)}`;
  return `attachment; filename="${plain}"${whole}`;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Returns a stream that makes the archive as fast as the client reads, for at most {@link MAX_ARCHIVE_MS}.
 */
function toStream(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
  fail: (error: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const endMs = performance.now() + MAX_ARCHIVE_MS;
  const next = async () => {
    if (performance.now() > endMs) throw new Error("The archive takes too long");
    return (await pieces.next()).value ?? undefined;
  };
  return byteStream(next, {
    explain(error) {
      fail(error);
      void pieces.return().catch(() => {});
      return new Error("An archive was cut off");
    },
    cancel: () => pieces.return(),
  });
}
