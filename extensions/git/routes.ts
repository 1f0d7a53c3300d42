/**
 * Serves clones and fetches of repositories over HTTP. Clients can only read. Errors are lines of text, which
 * git shows to its user.
 */
import {
  type Answer,
  bytesAnswer,
  byteStream,
  type Call,
  DamagedError,
  ForbiddenError,
  HttpError,
  joinBytes,
  type NodeId,
  NotFoundError,
  type OpenRepository,
  readBytes,
  readQuery,
  type Task,
  textAnswer,
  tryParseNid,
  UnsupportedError,
} from "../../src/mod.ts";
import { MAX_GIT_REQUEST_BYTES, RefsQuery } from "./request.ts";
import { FLUSH, headLine, offeredOf, pktLine, withHead } from "./pkt_line.ts";
import { shownOf } from "./shown_objects.ts";
import { findShownRef, headText, hiddenFolders, listShownRefs, namespaceHead } from "./shown_refs.ts";
import {
  hideInRequest,
  listsHead,
  readUploadRequest,
  UPLOAD_PACK_REQUEST_TYPE,
  type UploadRequest,
} from "./upload_request.ts";
import type { GitProgram, GitProtocol, UploadPackOutput } from "./git_program.ts";

/** Memory of a response while it is sent, in bytes: the buffer of a pipe and a few pieces of output. */
const HELD_BYTES = 256 * 1024;

/** Header fields of responses about references, which must not be cached (gitprotocol-http). */
const NO_CACHE = {
  "cache-control": "no-cache, max-age=0, must-revalidate",
  expires: "Fri, 01 Jan 1980 00:00:00 GMT",
  pragma: "no-cache",
};

const PLAIN = { "content-type": "text/plain" };
const RESULT_TYPE = "application/x-git-upload-pack-result";
const ADVERTISEMENT_TYPE = "application/x-git-upload-pack-advertisement";

/** The repository in a path, and the namespace if the path contains a node. */
interface Named {
  readonly repository: OpenRepository;
  readonly namespace: NodeId | undefined;
}

export async function showRefs(call: Call, program: GitProgram | undefined): Promise<Answer> {
  const { repository, namespace } = await open(call);
  const { service } = readQuery(call.url, RefsQuery);
  if (service === undefined) {
    return textAnswer(await listShownRefs(repository.objects, namespace, call.task), {
      ...PLAIN,
      ...NO_CACHE,
    });
  }
  if (service === "git-receive-pack") throw pushRefused();
  if (service !== "git-upload-pack") {
    throw new ForbiddenError(`Service "${service}" is not offered: expected git-upload-pack`);
  }
  const headers = { "content-type": ADVERTISEMENT_TYPE, ...NO_CACHE };
  const git = requireGit(program);
  if (call.request.method === "HEAD") return { status: 200, headers, body: undefined };
  const protocol = protocolOf(call.request);
  const output = await git.uploadPack({
    rid: repository.rid,
    namespace,
    protocol,
    isList: true,
    hidden: await hiddenFolders(repository.objects, call.service.profile.nodeId, call.task),
    input: undefined,
  }, call);
  const { start, failure } = output;
  if (failure !== undefined) {
    throw new DamagedError(`git lists no references of ${repository.rid}: ${failure}`);
  }
  if (protocol === 2) return outputAnswer(headers, { ...output, start: await offeredOf(start, call.task) });
  const before = new TextEncoder().encode(pktLine("# service=git-upload-pack\n") + FLUSH);
  const head = namespace && await namespaceHead(repository.objects, namespace);
  const list = head === undefined ? start : withHead(start, head);
  return outputAnswer(headers, { ...output, start: joinBytes([before, list]) });
}

/**
 * Reads a request for objects. Returns the decompressed body and the parsed request.
 *
 * @throws {CoreError} the same errors as `readBytes` and `readUploadRequest`.
 */
export async function readObjectsRequest(
  request: Request,
  task: Task,
): Promise<{ readonly body: Uint8Array<ArrayBuffer>; readonly asked: UploadRequest }> {
  const body = await readBytes(request, MAX_GIT_REQUEST_BYTES);
  return { body, asked: await readUploadRequest(body, task) };
}

/** Sends the text of `HEAD`, which names the branch to which `HEAD` points. */
export async function showHead(call: Call): Promise<Answer> {
  const { repository, namespace } = await open(call);
  return textAnswer(await headText(repository.objects, namespace), PLAIN);
}

/** Sends a pack with the objects that a client requests. */
export async function sendPack(call: Call, program: GitProgram | undefined): Promise<Answer> {
  const { repository, namespace } = await open(call);
  const type = call.request.headers.get("content-type") ?? "";
  if (type !== UPLOAD_PACK_REQUEST_TYPE) {
    throw new HttpError(
      "unsupportedMediaType",
      `Expected POST with Content-Type "${UPLOAD_PACK_REQUEST_TYPE}"`,
    );
  }
  const git = requireGit(program);
  const { body, asked } = await readObjectsRequest(call.request, call.task);
  const { rid, objects } = repository;
  const headers = { "content-type": RESULT_TYPE, ...NO_CACHE };
  const protocol = protocolOf(call.request);
  const { refused, isShown } = await shownOf(asked, git, { rid, repository: objects }, call, call.task);
  if (refused !== undefined) return refusal(headers, `not our ref ${refused}`);
  const excluded = new Map<string, string>();
  for (const name of asked.excluded) {
    const full = await findShownRef(objects, namespace, name);
    if (full === undefined) return refusal(headers, `no such reference ${name}`);
    excluded.set(name, full);
  }
  const output = await git.uploadPack({
    rid,
    namespace,
    protocol,
    isList: asked.isList,
    hidden: await hiddenFolders(repository.objects, call.service.profile.nodeId, call.task),
    input: await hideInRequest(body, asked, protocol, { isShown, excluded }, call.task),
  }, call);
  const { start, failure } = output;
  if (failure === undefined) {
    const head = namespace && listsHead(asked) ? await namespaceHead(objects, namespace) : undefined;
    if (head === undefined) return outputAnswer(headers, output);
    const line = new TextEncoder().encode(headLine(head, asked.asksTargets));
    return outputAnswer(headers, { ...output, start: joinBytes([line, start]) });
  }
  call.service.environment.log("warn", "git refused a request", `${rid}: ${failure}`);
  return bytesAnswer(joinBytes([start, errorLine("the request cannot be answered")]), headers);
}

export async function refusePush(call: Call): Promise<Answer> {
  await open(call);
  throw pushRefused();
}

function pushRefused(): ForbiddenError {
  return new ForbiddenError("This service takes no pushes: push to rad:// with Radicle's git remote");
}

/** Returns the response when git refuses a request. git shows the reason to its user. */
function refusal(headers: Answer["headers"], reason: string): Answer {
  return bytesAnswer(errorLine(reason), headers);
}

function errorLine(reason: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(pktLine(`ERR upload-pack: ${reason}`));
}

async function open(call: Call): Promise<Named> {
  const name = call.param("name").replace(/\.git$/, "");
  const rid = call.service.tryRid(name);
  const repository = rid === undefined ? undefined : await call.repositories.open(rid);
  if (repository === undefined) throw new NotFoundError(`Repository "${name}" was not found`);
  if (!call.hasParam("nid")) return { repository, namespace: undefined };
  const namespace = tryParseNid(call.param("nid"));
  if (namespace === undefined) throw new NotFoundError("Not Found");
  return { repository, namespace };
}

function requireGit(git: GitProgram | undefined): GitProgram {
  if (git === undefined) throw new UnsupportedError("This service has no git to serve clones with");
  return git;
}

/** Returns the highest version of the protocol that a client accepts in `Git-Protocol` (gitprotocol-v2). */
function protocolOf({ headers }: Request): GitProtocol {
  const keys = (headers.get("git-protocol") ?? "").split(":");
  return keys.includes("version=2") ? 2 : keys.includes("version=1") ? 1 : 0;
}

/** Returns a response that reads from git as fast as the client reads. */
function outputAnswer(headers: Answer["headers"], { start, rest }: UploadPackOutput): Answer {
  if (rest === undefined) return bytesAnswer(start, headers);
  const reader = rest.getReader();
  const stream = byteStream(async () => (await reader.read()).value, {
    first: start.length > 0 ? [start] : [],
    cancel: (reason) => reader.cancel(reason),
  });
  return { status: 200, headers, body: { stream, heldBytes: start.length + HELD_BYTES } };
}
