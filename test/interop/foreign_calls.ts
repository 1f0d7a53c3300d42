/** Sends requests with the header fields that a program of others sends, and no other ones. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

/** Values of JSON; a test reads members that it knows. */
// deno-lint-ignore no-explicit-any -- a client reads what it relies on, a missing member fails the test
export type Json = any;

/** How a program sends its requests. */
export interface Manner {
  /** Fields of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** `Content-Type` of a body. */
  readonly bodyType: string;
  /** Text after the JSON of a body: some clients end it with a line. */
  readonly bodyEnd?: string;
  /** Of a page in a browser: asks before each request that is not simple, as browsers do (Fetch Standard, CORS protocol). */
  readonly origin?: string;
}

/** A request besides its method and path. */
export interface Asked {
  readonly body?: Json;
  readonly token?: string;
  /** Status of the answer; 200 by default, 201 of POST. */
  readonly status?: number;
}

/** An answer: its JSON, and its header fields. */
export interface Answer {
  readonly json: Json;
  readonly headers: IncomingMessage["headers"];
}

/** Methods that a page sends without asking, unless they have fields of their own. */
const SIMPLE_METHODS = ["GET", "HEAD", "POST"];

/** A program of others that speaks to one service. */
export class Caller {
  readonly #base: string;
  readonly #manner: Manner;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(base: string, manner: Manner) {
    this.#base = base;
    this.#manner = manner;
  }

  /** Sends a request and requires the status; a page in a browser also requires that it may read the answer. */
  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const { headers, bodyType, bodyEnd = "", origin } = this.#manner;
    const body = asked.body === undefined ? undefined : JSON.stringify(asked.body) + bodyEnd;
    const own = {
      ...(asked.token !== undefined && { authorization: `Bearer ${asked.token}` }),
      ...(body !== undefined && { "content-type": bodyType }),
    };
    if (origin !== undefined) await this.#askBefore(method, path, Object.keys(own).sort(), origin);
    const answer = await this.#send(method, path, { ...headers, ...own }, body);
    const said = await text(answer);
    const what = `${method} ${path}: ${said.slice(0, 300)}`;
    assert.equal(answer.statusCode, asked.status ?? (method === "POST" ? 201 : 200), what);
    if (origin !== undefined) assert.equal(answer.headers["access-control-allow-origin"], "*", what);
    if (method === "HEAD") return { json: undefined, headers: answer.headers };
    assert.match(answer.headers["content-type"] ?? "", /^application\/json/, what);
    return { json: JSON.parse(said), headers: answer.headers };
  }

  /** The JSON that a GET answers. */
  async get(path: string, asked: Asked = {}): Promise<Json> {
    return (await this.ask("GET", path, asked)).json;
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #askBefore(method: string, path: string, names: readonly string[], origin: string): Promise<void> {
    if (names.length === 0 && SIMPLE_METHODS.includes(method)) return;
    const answer = await this.#send("OPTIONS", path, {
      origin,
      "access-control-request-method": method,
      ...(names.length > 0 && { "access-control-request-headers": names.join(",") }),
    });
    answer.resume();
    const listed = (name: string) => String(answer.headers[name] ?? "").toLowerCase().split(/\s*,\s*/);
    assert.ok([200, 204].includes(answer.statusCode!), `OPTIONS ${path}: ${answer.statusCode}`);
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.ok(
      SIMPLE_METHODS.includes(method) ||
        listed("access-control-allow-methods").includes(method.toLowerCase()),
    );
    const allowed = listed("access-control-allow-headers");
    assert.deepEqual(names.filter((name) => !allowed.includes(name)), []);
    await once(answer, "end");
  }

  async #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<IncomingMessage> {
    const sent = request(this.#base + path, { method, agent: this.#agent, headers });
    // Programs announce the length of a body; a POST without one has the length 0.
    if (body !== undefined || method === "POST") {
      sent.setHeader("content-length", Buffer.byteLength(body ?? ""));
    }
    sent.end(body);
    const [answer] = await once(sent, "response");
    return answer as IncomingMessage;
  }
}
