/**
 * Serves clones and fetches from the bucket, without git and without the origin. The bucket has the files of
 * git's simple protocol ("dumb HTTP", gitprotocol-http): a client reads the list of references, then whole
 * packs. This protocol has neither shallow nor partial clones.
 */
import {
  type Answer,
  byteStream,
  type Call,
  type Extension,
  followTags,
  ForbiddenError,
  isHiddenRef,
  isOid,
  type NodeId,
  NotFoundError,
  type Oid,
  rangedAnswer,
  readQuery,
  type RepoId,
  resolveRefs,
  type Route,
  type RouteTraits,
  type StreamedBody,
  type Task,
  textAnswer,
  tryParseNid,
} from "../../../src/mod.ts";
import { RefsQuery } from "../../git/request.ts";
import { headText } from "../../git/shown_refs.ts";
import { packKey, repositoryPrefix } from "../format/keys.ts";
import type { BucketReads } from "../storage/reads.ts";
import type { BucketRepository } from "../storage/repository.ts";
import type { BucketStorage } from "../storage/storage.ts";

/** Number of bytes of a pack that one read of the bucket returns. */
const PIECE_BYTES = 2 ** 20;
/** Number of references that are listed between two pauses. This takes about a millisecond. */
const REFS_AT_ONCE = 1024;

const PLAIN = { "content-type": "text/plain", "cache-control": "no-cache" };
/** Packs never change. */
const IMMUTABLE = {
  "content-type": "application/octet-stream",
  "cache-control": "public, max-age=604800, immutable",
};
const FILE = /^pack-([0-9a-f]{40})\.(pack|idx)$/;

const OF_CLONES = {
  isExpensive: true,
  repository: "name",
  crossOrigin: { methods: "GET,POST", headers: "content-type,git-protocol" },
  hasTextErrors: true,
} as const satisfies RouteTraits;

/** Where clients clone from. */
export interface CloneOptions {
  readonly storage: BucketStorage;
  readonly reads: BucketReads;
  /**
   * Public URL of the bucket, including its prefix. Clients are redirected to it, so that packs do not pass
   * through the replica. Without it, the replica sends the packs.
   */
  readonly publicUrl?: URL | undefined;
}

interface Named {
  readonly rid: RepoId;
  readonly repository: BucketRepository;
  /** The node in whose namespace the references are; `undefined` for the whole repository. */
  readonly namespace: NodeId | undefined;
}

/** Returns the extension that serves clones from the bucket. Its routes replace those of git. */
export function clones({ storage, reads, publicUrl }: CloneOptions): Extension {
  const open = async (call: Call): Promise<Named> => {
    const name = call.param("name").replace(/\.git$/, "");
    const rid = call.service.tryRid(name);
    const isShown = rid !== undefined && await call.repositories.open(rid) !== undefined;
    const repository = isShown ? await storage.repository(rid) : undefined;
    if (repository === undefined) throw new NotFoundError(`Repository "${name}" was not found`);
    const namespace = call.hasParam("nid") ? tryParseNid(call.param("nid")) : undefined;
    if (call.hasParam("nid") && namespace === undefined) throw new NotFoundError("Not Found");
    return { rid: repository.rid, repository, namespace };
  };

  async function showRefs(call: Call): Promise<Answer> {
    const { rid, repository, namespace } = await open(call);
    const { service } = readQuery(call.url, RefsQuery);
    if (service !== undefined && service !== "git-upload-pack") {
      throw new ForbiddenError("This service takes no pushes: push to rad:// with Radicle's git remote");
    }
    // The references of one namespace are no file in the bucket.
    if (publicUrl !== undefined && namespace === undefined) return redirect(publicUrl, rid, service);
    return textAnswer(await listRefs(repository, namespace, call.task), PLAIN);
  }

  async function showHead(call: Call): Promise<Answer> {
    const { repository, namespace } = await open(call);
    return textAnswer(await headText(repository, namespace), PLAIN);
  }

  async function showPacks(call: Call): Promise<Answer> {
    const { repository } = await open(call);
    const lines = repository.manifest.packs.map(({ name }) => `P pack-${name}.pack\n`);
    return textAnswer(`${lines.join("")}\n`, PLAIN);
  }

  async function sendFile(call: Call): Promise<Answer> {
    const { rid } = await open(call);
    const [, name, file] = FILE.exec(call.param("file")) ?? [];
    if (name === undefined || !isOid(name)) throw new NotFoundError("Not Found");
    return await sendPackFile(call, rid, name, file === "idx" ? "idx" : "pack");
  }

  /**
   * Sends a file of a pack. The pack may belong to an earlier state, because a client may have read the list
   * of packs some time ago.
   */
  async function sendPackFile(
    call: Call,
    rid: RepoId,
    name: Oid,
    file: "pack" | "idx",
  ): Promise<Answer> {
    const key = packKey(rid, name, file);
    const size = await reads.size(key);
    if (size === undefined) throw new NotFoundError("Not Found");
    const etag = `"${name}.${file}"`;
    return await rangedAnswer(call.request, {
      status: 200,
      headers: { ...IMMUTABLE, etag, "content-length": String(size) },
      body: bodyOf(key, 0, size),
    });
  }

  function bodyOf(key: string, start: number, end: number): StreamedBody {
    let at = start;
    const stream = byteStream(async () => {
      if (at >= end) return undefined;
      const piece = await reads.piece(key, { start: at, end: Math.min(at + PIECE_BYTES, end) });
      at += piece.length;
      return piece;
    });
    return { stream, heldBytes: PIECE_BYTES, part: (from, to) => bodyOf(key, start + from, start + to) };
  }

  const below = (base: string): readonly Route[] => [
    ["GET", `${base}/info/refs`, showRefs, OF_CLONES],
    ["GET", `${base}/HEAD`, showHead, OF_CLONES],
    ["GET", `${base}/objects/info/packs`, showPacks, OF_CLONES],
    ["GET", `${base}/objects/pack/:file`, sendFile, OF_CLONES],
  ];
  return {
    name: "replicas",
    routes: () => [...below("/:name"), ...below("/:name/:nid")],
    document: async (dialect) => (await import("../carried/document.ts")).DOCUMENT[dialect],
  };
}

/**
 * Redirects a client to the folder of the repository in the bucket. Git then reads all further files of the
 * repository from there.
 */
function redirect(publicUrl: URL, rid: RepoId, service: string | undefined): Answer {
  const url = new URL(publicUrl);
  const base = url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`;
  url.pathname = `${base}${repositoryPrefix(rid)}info/refs`;
  if (service !== undefined) url.searchParams.set("service", service);
  return { status: 302, headers: { location: url.href, "cache-control": "no-cache" }, body: undefined };
}

/**
 * Returns the text of `info/refs`: a line for each reference, and another line for the target of each
 * annotated tag.
 */
async function listRefs(
  repository: BucketRepository,
  namespace: NodeId | undefined,
  task: Task,
): Promise<string> {
  const prefix = namespace === undefined ? "" : `refs/namespaces/${namespace}/`;
  const refs = await resolveRefs(repository, `${prefix}refs/`, task);
  const isWhole = repository.manifest.isIncomplete !== true;
  const targets = await tagTargets(refs.filter(({ name }) => isTag(name)).map(({ oid }) => oid), repository);
  const lines: string[] = [];
  for (const [at, { name, oid }] of refs.entries()) {
    if (at % REFS_AT_ONCE === 0) await task.yield();
    if (isHiddenRef(name)) continue;
    // A client cannot clone a repository with a reference whose object is missing.
    if (!isWhole && await repository.header(oid) === undefined) continue;
    const shown = name.slice(prefix.length);
    lines.push(`${oid}\t${shown}\n`);
    const target = targets.get(oid);
    if (target !== undefined) lines.push(`${target}\t${shown}^{}\n`);
  }
  return lines.join("");
}

const TAG = /^refs\/(?:namespaces\/[^/]+\/refs\/)?tags\//;

function isTag(name: string): boolean {
  return TAG.test(name);
}

/** Returns the targets of annotated tags. Objects of other kinds are left out. */
async function tagTargets(
  oids: readonly Oid[],
  repository: BucketRepository,
): Promise<ReadonlyMap<Oid, Oid>> {
  // One call reads the objects together, so that the following calls find them in memory.
  for (let at = 0; at < oids.length;) at += (await repository.objects(oids.slice(at))).length;
  const targets = await followTags(repository, oids);
  return new Map(oids.map((oid, i) => [oid, targets[i]!] as const).filter(([oid, target]) => oid !== target));
}
