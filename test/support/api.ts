/** An API on a small set of test data, for requests as a host makes them. */
import { type Api, type ApiOptions, type Client, createApi } from "../../mod.ts";
import { checkAnswer } from "./contract.ts";
import { allExtensions, type ExtensionOptions } from "./extensions.ts";
import { ALICE, createWorld, type World } from "./world.ts";

/** The owner of the node, on its own machine. */
export const OWNER: Client = { transport: "tcp", address: "127.0.0.1" };
/** A client on another machine. */
export const STRANGER: Client = { transport: "tcp", address: "192.0.2.7" };

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- tests read members of any answer
  readonly body: any;
}

/** An API and its world. */
export interface TestApi {
  readonly api: Api;
  readonly world: World;
  readonly log: string[];
  /** Requests a path below `/api/v1`, or from the root if it starts with two slashes. */
  get(path: string, client?: Client, init?: RequestInit): Promise<Answer>;
}

/** Options of an API on a world, and of the extensions that it has. */
export type TestOptions = Partial<ApiOptions> & ExtensionOptions;

/**
 * Creates an API on a world, of version 1 unless the options name another dialect. Its clock is fixed at
 * `nowMs`. Diffs fail, because they need the compiled module of libgit2.
 */
export function createTestApi(
  options: TestOptions = {},
  world: World = createWorld(),
): TestApi {
  const log: string[] = [];
  const api = createApi({
    storage: world.storage,
    profile: { nodeId: ALICE, pinned: () => [world.helloRid] },
    loadLibgit2: () => Promise.reject(new Error("no libgit2 in this test")),
    environment: { now: () => 1_673_100_000_000, log: (_level, message) => log.push(message) },
    api: "v1",
    extensions: allExtensions(options),
    ...options,
  });
  return {
    api,
    world,
    log,
    async get(path, client = STRANGER, init = {}) {
      const url = `http://localhost${path.startsWith("//") ? path.slice(1) : `/api/v1${path}`}`;
      const request = new Request(url, init);
      const response = await api.fetch(request, client);
      const text = await response.text();
      // A test that replaces the workers makes up their diffs.
      if (options.workers === undefined) checkAnswer(request, response, text, { api: "v1", ...options });
      const isJson = response.headers.get("content-type") === "application/json" && text !== "";
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
  };
}
