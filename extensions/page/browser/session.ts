/**
 * The visitor's session. Its token is in `sessionStorage`: it belongs to one tab and ends with it. The links
 * of `xylem session` sign a visitor in.
 */
import {
  type AnswerTo,
  type Client,
  type ClientOptions,
  type ConsistencyTokens,
  createClient,
} from "../../../src/client/mod.ts";

/** Ids of sessions, which are tokens. */
const TOKEN = /^[A-Za-z0-9]{32}$/;
/** The end of a link of `xylem session`: behind `#` of this page, or in the path of a web app. */
const LINK = /\/session\/([A-Za-z0-9]{32})\?([^#]{0,1024})$/;

/** Repositories whose consistency tokens a tab has; a further one replaces the oldest. */
const MAX_CONSISTENCY_TOKENS = 100;

/** A session to sign in with: its id, and the proof that authorizes it, unless it is authorized. */
export interface SignIn {
  readonly id: string;
  readonly proof?: { readonly pk: string; readonly sig: string };
}

/** Reads a token or a link of `xylem session`; `undefined` for anything else. */
export function parseSignIn(text: string): SignIn | undefined {
  const trimmed = text.trim();
  if (TOKEN.test(trimmed)) return { id: trimmed };
  const [, id, query] = LINK.exec(trimmed) ?? [];
  const parameters = new URLSearchParams(query);
  const pk = parameters.get("pk");
  const sig = parameters.get("sig");
  return id === undefined || pk === null || sig === null ? undefined : { id, proof: { pk, sig } };
}

/** The session as it is in the storage of the tab. */
interface StoredSession {
  readonly token: string;
  readonly holder: string;
  /** Seconds since the epoch; unknown for the session of a wallet. */
  readonly expiresAt?: number;
}

/** The visitor of the page. */
export class Visitor {
  /** Address of the service, without a slash at the end. */
  readonly base: string;
  /** Asks the service, with the token of the session. */
  client: Client;
  /** Holder of the session: the alias of the node, or an address of a wallet; `undefined` without one. */
  ofSession: string | undefined;
  /** Hears of a session that begins or ends. */
  onchange: () => void = () => {};
  readonly #storage: Storage;
  readonly #options: ClientOptions;
  readonly #key: string;
  readonly #now: () => number;

  /**
   * @param base Address of the page, with a slash at the end.
   * @param storage The `sessionStorage` of the tab.
   * @param now Milliseconds since the epoch.
   */
  constructor(base: URL, storage: Storage, options: ClientOptions = {}, now: () => number = Date.now) {
    this.base = base.href.replace(/\/$/, "");
    this.#storage = storage;
    // Several services may have one origin.
    this.#key = `xylem session ${base.pathname}`;
    this.#now = now;
    this.#options = { consistencyTokens: storedTokens(storage, `xylem tokens ${base.pathname}`), ...options };
    this.client = this.#clientWith(undefined);
  }

  /** The token of the session; `undefined` without one. */
  get token(): string | undefined {
    return this.client.token;
  }

  /**
   * Takes up the session of this tab, until it expires. The service is not asked: the path of a session has
   * its token, and logs have paths. A session that ended earlier shows by the first change that is refused.
   */
  resume(): void {
    const stored = this.#storage.getItem(this.#key);
    if (stored === null) return;
    const session: StoredSession = JSON.parse(stored);
    if ((session.expiresAt ?? Infinity) * 1000 <= this.#now()) this.#forget();
    else this.#begin(session);
  }

  /**
   * Signs in.
   *
   * @throws {ClientError} when the session does not exist any more, or the proof is none.
   * @throws {Error} when nobody has authorized the session.
   */
  async signIn({ id, proof }: SignIn): Promise<void> {
    // A refusal says nothing about the session that the tab may have already.
    const client = this.#clientWith(undefined);
    if (proof !== undefined) await client.put("/api/v1/sessions/:id", { id }, proof);
    const session = storedSessionOf(id, await client.get("/api/v1/sessions/:id", { id }));
    if (session === undefined) throw new Error("Nobody has authorized this session");
    this.#storage.setItem(this.#key, JSON.stringify(session));
    this.#begin(session);
    this.onchange();
  }

  /** Ends the session. */
  async signOut(): Promise<void> {
    // A service for wallets has no sign-out, and a session may have ended by itself.
    await this.client.signOut().catch(() => {});
    this.#forget();
  }

  #begin({ token, holder }: StoredSession): void {
    this.ofSession = holder;
    this.client = this.#clientWith(token);
  }

  #forget(): void {
    this.#storage.removeItem(this.#key);
    this.ofSession = undefined;
    this.client = this.#clientWith(undefined);
    this.onchange();
  }

  #clientWith(token: string | undefined): Client {
    if (token === undefined) return createClient(this.base, this.#options);
    const { fetch: send = (request: Request) => fetch(request) } = this.#options;
    return createClient(this.base, {
      ...this.#options,
      token,
      fetch: async (request) => {
        const response = await send(request);
        // The view stays, as it may have a text that is being written; the next load finds no session.
        if (response.status === 401 && this.token === token) this.#storage.removeItem(this.#key);
        return response;
      },
    });
  }
}

/**
 * Consistency tokens in the storage of a tab: of several replicas none shows the visitor anything older than
 * own changes, after a reload and a sign-in either.
 */
function storedTokens(storage: Storage, key: string): ConsistencyTokens {
  const tokens = new Map<string, string>(JSON.parse(storage.getItem(key) ?? "[]"));
  return {
    get: (repository) => tokens.get(repository),
    set(repository, token) {
      tokens.delete(repository);
      tokens.set(repository, token);
      if (tokens.size > MAX_CONSISTENCY_TOKENS) tokens.delete(tokens.keys().next().value!);
      storage.setItem(key, JSON.stringify([...tokens]));
    },
  };
}

/** The session of an answer, to be stored; `undefined` for one that is not authorized. */
function storedSessionOf(
  token: string,
  session: AnswerTo<"GET", "/api/v1/sessions/:id">,
): StoredSession | undefined {
  if ("session" in session) return { token, holder: session.session.address };
  if (!("status" in session) || session.status !== "authorized") return undefined;
  return { token, holder: session.alias ?? session.publicKey, expiresAt: session.expiresAt };
}
