/** Replays one recording against a running service: reads eight at a time, sequences in order. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Dialect } from "../../build/contract/all.ts";
import { faultsOf } from "../support/contract.ts";
import { nodeIdOf, withoutOwnAlias } from "../support/own_alias.ts";
import { type DeviationBook, type Place, placeOf } from "./deviations.ts";
import { type Comparable, ofAnswer, ofRecorded, withoutChance } from "./expected.ts";
import { Placeholders } from "./placeholders.ts";
import {
  type Control,
  isRequest,
  type Line,
  type Recorded,
  type RecordedRequest,
  type Recording,
  requestOf,
} from "./recordings.ts";
import { type Answer, type Client, openClient } from "./send.ts";
import { startTwoNodes, type TwoNodes } from "./two_nodes.ts";

/** Reads that are sent at a time. */
const PARALLEL_READS = 8;
/** A service that refuses a large body may close the connection while it is still being sent. */
const REFUSED_BODY = /EPIPE|ECONNRESET/;

/** What a recording is replayed against. */
export interface Target {
  /** Base URL of the service. */
  readonly url: string;
  /** Folder of the home that the service runs on. */
  readonly home: string;
  /** Folder of the home of the other node. */
  readonly other?: string;
  readonly book: DeviationBook;
  /**
   * Dialect of the service: answers are held against its contract. Absent where they are not; one of several
   * runtimes that answer the same is enough.
   */
  readonly dialect?: Dialect;
  /** Requests to replay; for reads only. */
  readonly only?: RegExp;
  /** Whether that one of these is replayed, by its number. */
  readonly isAsked: (number: number) => boolean;
}

/** A compared request: its method and path, and what is wrong with the answer. */
export interface Outcome {
  readonly request: string;
  readonly note?: string;
  readonly differences: readonly string[];
}

/** Replays a recording; one outcome for each of its requests. */
export async function replayRecording(recording: Recording, target: Target): Promise<Outcome[]> {
  const client = openClient(target.url, PARALLEL_READS);
  const replayer = new Replayer(recording, target, client);
  try {
    return await (recording.head ? replayer.sequence() : replayer.reads());
  } finally {
    await replayer.stopNodes();
    client.close();
  }
}

/** Paths that the command answers itself, and that recorded services do not know. */
const OWN_PATHS: ReadonlySet<string> = new Set(["/favicon.ico"]);

class Replayer {
  readonly #recording: Recording;
  readonly #target: Target;
  /** The id of the node of the home. */
  #nodeId: Promise<string> | undefined;
  readonly #client: Client;
  readonly #placeholders: Placeholders;
  #nodes: TwoNodes | undefined;

  constructor(recording: Recording, target: Target, client: Client) {
    this.#recording = recording;
    this.#target = target;
    this.#client = client;
    this.#placeholders = new Placeholders(target.home, recording.head);
  }

  async reads(): Promise<Outcome[]> {
    const { only, isAsked } = this.#target;
    const isChosen = ({ value }: Line<Recorded>) =>
      !OWN_PATHS.has(value.path) && (!only || only.test(`${value.method} ${value.path}`));
    const lines = this.#recording.lines.filter(isRequest).filter(isChosen).filter((_, i) => isAsked(i));
    const outcomes: Outcome[] = [];
    let next = 0;
    const work = async () => {
      while (next < lines.length) outcomes.push(await this.#request(lines[next++]!));
    };
    await Promise.all(Array.from({ length: PARALLEL_READS }, work));
    return outcomes;
  }

  async sequence(): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const line of this.#recording.lines) {
      if (isRequest(line)) outcomes.push(await this.#request(line));
      else await this.#control(line.value as Control);
    }
    return outcomes;
  }

  async #control({ control, seconds = 0, file = "" }: Control): Promise<void> {
    const { home, other } = this.#target;
    if (control === "wait") await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    else if (control === "remove") rmSync(join(home, file), { force: true });
    else if (control === "stop") await this.stopNodes();
    else if (control === "start" && other !== undefined) {
      this.#nodes = await startTwoNodes(home, other);
      this.#placeholders.address = this.#nodes.address;
    } else throw new RangeError(`Cannot replay "${control}"`);
  }

  async stopNodes(): Promise<void> {
    await this.#nodes?.stop();
    this.#nodes = undefined;
  }

  async #request({ line, value: recorded }: Line<Recorded>): Promise<Outcome> {
    const before = this.#stateBeforeRefusal(recorded);
    const differences = await this.#compare(placeOf(this.#recording.name, line, recorded), recorded);
    for (const [after, following] of (recorded.after ?? []).entries()) {
      const { path } = following;
      const place = placeOf(this.#recording.name, line, recorded, after);
      const found = await this.#compare(place, { method: "GET", ...following });
      differences.push(...found.map((difference) => `then GET ${path}: ${difference}`));
    }
    if (recorded.refs) differences.push(...await this.#compareRefs(recorded));
    if (before !== undefined && this.#stateBeforeRefusal(recorded) !== before) {
      differences.push("a refused change left a ref or an object behind");
    }
    const request = `${recorded.step ? `step ${recorded.step} ` : ""}${recorded.method} ${recorded.path}`;
    return { request, ...(recorded.note && { note: recorded.note }), differences };
  }

  /** An answer without the aliases of the home's node that the expected one lacks. */
  async #likeExpected(answer: Comparable, expected: Comparable): Promise<Comparable> {
    const { content } = answer;
    const { content: other } = expected;
    if (!("json" in content) || !("json" in other)) return answer;
    const nodeId = await (this.#nodeId ??= nodeIdOf(this.#target.url));
    return { ...answer, content: { json: withoutOwnAlias(content.json, other.json, nodeId) } };
  }

  /** Sends one request and compares the answer. */
  async #compare(place: Place, recorded: Recorded): Promise<string[]> {
    const { book } = this.#target;
    const request = { ...requestOf(recorded), ...book.sendFor(place) };
    const sentMs = Date.now();
    try {
      const answer = await this.#client.ask(this.#placeholders.fill(request));
      const expected = ofRecorded(recorded);
      const answered = await this.#likeExpected(
        ofAnswer(answer, (text) => this.#placeholders.toRecorded(text, recorded, sentMs)),
        book.expectedAt(place, expected),
      );
      const narrow = (one: Comparable) => withoutChance(one, recorded.path, sentMs / 1000);
      const { dialect } = this.#target;
      const faults = dialect === undefined ? [] : contractFaults(request, answer, dialect);
      return [...book.judge(place, expected, answered, narrow), ...faults];
    } catch (error) {
      const text = String(error);
      const mayClose = recorded.bodyPadded && recorded.status! >= 400 && REFUSED_BODY.test(text);
      return mayClose ? [] : [`no answer: ${text}`];
    }
  }

  async #compareRefs({ path, refs = {} }: Recorded): Promise<string[]> {
    const names = Object.keys(refs);
    const found = await this.#refs(decodeURIComponent(path.split("/")[4]!));
    return names.filter((name) => found[name] !== refs[name])
      .map((name) => `ref ${name}: want ${refs[name]}, got ${found[name]}`);
  }

  /** References with their contents and the names of all objects, of the repository of a change that was refused; undefined for other requests. */
  #stateBeforeRefusal({ method, path, status = 500 }: Recorded): string | undefined {
    const isRefused = method !== "GET" && status >= 400 && path.startsWith("/api/v1/projects/rad:");
    const repository = this.#repository(path.split("/")[4] ?? "");
    if (!isRefused || !this.#recording.head || !existsSync(repository)) return undefined;
    const list = (folder: string) =>
      readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
    const packed = join(repository, "packed-refs");
    const refs = [...list("refs"), ...existsSync(packed) ? [packed] : []];
    return JSON.stringify([refs.map((path) => [path, readFileSync(path, "utf8")]), list("objects")]);
  }

  /** References of objects and signatures of the home's own node, as git reads them. */
  async #refs(rid: string): Promise<Record<string, string>> {
    const own = `refs/namespaces/${this.#recording.head!.nodeId}/refs`;
    const format = "--format=%(refname) %(objectname)";
    const args = ["--git-dir", this.#repository(rid), "for-each-ref", format, `${own}/cobs`, `${own}/rad`];
    const { stdout } = await promisify(execFile)("git", args);
    return Object.fromEntries(stdout.split("\n").filter(Boolean).map((line) => line.split(" ")));
  }

  #repository(rid: string): string {
    return join(this.#target.home, "storage", rid.replace("rad:", ""));
  }
}

/** Header fields that the server adds to each answer. */
const OF_SERVER = ["connection", "date", "keep-alive", "transfer-encoding"];

/** Routes of git, whose protocol is not ours to describe. */
const OF_GIT = /\/(?:info\/refs|HEAD|git-(?:upload|receive)-pack)$/;

/** What the contract does not say of an answer. */
function contractFaults(
  { method, path }: RecordedRequest,
  { status, headers, body }: Answer,
  api: Dialect,
): string[] {
  const { pathname } = new URL(path, "http://localhost");
  if (OF_GIT.test(pathname)) return [];
  const isJson = headers["content-type"] === "application/json" && body.length > 0;
  const faults = faultsOf({
    method,
    path: pathname,
    status,
    headers: Object.entries(headers).filter(([name]) => !OF_SERVER.includes(name)),
    json: isJson ? JSON.parse(new TextDecoder().decode(body)) : undefined,
  }, { api });
  return faults.map((fault) => `not in the contract: ${fault}`);
}
