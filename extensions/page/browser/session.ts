/**
 * The visitor's session. Its token is in `sessionStorage`, so it belongs to one tab and ends with it. A link
 * of `xylem session` signs a visitor in.
 */
import {
  type AnswerTo,
  type Client,
  type ClientOptions,
  type ConsistencyTokens,
  createClient,
} from "../../../src/client/mod.ts";

/** Ids of sessions, which are also their tokens. */
const TOKEN = /^[A-Za-z0-9]{32}$/;
/** The end of a link of `xylem session`: behind `#` of this page, or in the path of a web app. */
const LINK = /\/session\/([A-Za-z0-9]{32})\?([^#]{0,1024})$/;

/** Most repositories for which a tab stores consistency tokens. A further token replaces the oldest one. */
const MAX_CONSISTENCY_TOKENS = 100;

/** A session to sign in with: its id, and the proof that authorizes it, unless it is already authorized. */
export interface SignIn {
  readonly id: string;
  readonly proof?: { readonly pk: string; readonly sig: string };
}

/** Parses a token or a link of `xylem session`. `undefined` for any other text. */
export function parseSignIn(text: string): SignIn | undefined {
  const trimmed = text.trim();
  if (TOKEN.test(trimmed)) return { id: trimmed };
  const [, id, query] = LINK.exec(trimmed) ?? [];
  const parameters = new URLSearchParams(query);
  const pk = parameters.get("pk");
  const sig = parameters.get("sig");
  return id === undefined || pk === null || sig === null ? undefined : { id, proof: { pk, sig } };
}

/** A session in the storage of the tab. */
interface StoredSession {
  readonly token: string;
  readonly holder: string;
  /** Seconds since the Unix epoch. Unknown for the session of a wallet. */
  readonly expiresAt?: number;
}

export class Visitor {
  /** Address of the service, without a slash at the end. */
  readonly base: string;
  /** Sends requests to the service, with the token of the session. */
  client: Client;
  /**
   * Holder of the session: the alias of the node, or the address of a wallet. `undefined` without a session.
   */
  ofSession: string | undefined;
  /** Called when a session begins or ends. */
  onchange: () => void = () => {};
  readonly #storage: Storage;
  readonly #options: ClientOptions;
  readonly #key: string;
  readonly #now: () => number;

  /**
   * @param base Address of the page, with a slash at the end.
   * @param storage The `sessionStorage` of the tab.
   * @param now Milliseconds since the Unix epoch.
   */
  constructor(base: URL, storage: Storage, options: ClientOptions = {}, now: () => number = Date.now) {
    this.base = base.href.replace(/\/$/, "");
    this.#storage = storage;
    // The path is part of the key, since several services may share one origin.
    this.#key = `xylem session ${base.pathname}`;
    this.#now = now;
    this.#options = { consistencyTokens: storedTokens(storage, `xylem tokens ${base.pathname}`), ...options };
    this.client = this.#clientWith(undefined);
  }

  /** The token of the session. `undefined` without a session. */
  get token(): string | undefined {
    return this.client.token;
  }

  /**
   * Resumes the session of this tab, unless it has expired. The service is not asked: the path of a session
   * contains its token, and logs contain paths. If the session has already ended, the first change is
   * refused.
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
   * @throws {ClientError} when the session has ended, or the proof is not valid.
   * @throws {Error} when nobody has authorized the session.
   */
  async signIn({ id, proof }: SignIn): Promise<void> {
    // Without the current token: a refusal here must not end the session that the tab may already have.
    const client = this.#clientWith(undefined);
    if (proof !== undefined) await client.put("/api/v1/sessions/:id", { id }, proof);
    const session = storedSessionOf(id, await client.get("/api/v1/sessions/:id", { id }));
    if (session === undefined) throw new Error("Nobody has authorized this session");
    this.#storage.setItem(this.#key, JSON.stringify(session));
    this.#begin(session);
    this.onchange();
  }

  async signOut(): Promise<void> {
    // A service for wallets has no sign-out, and the session may have ended already.
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
        // The view stays, because it may contain a text that the visitor is writing. The next load finds no
        // session.
        if (response.status === 401 && this.token === token) this.#storage.removeItem(this.#key);
        return response;
      },
    });
  }
}

/**
 * Consistency tokens in the storage of a tab. With them, no replica shows the visitor a state older than the
 * visitor's own changes, not even after a reload or a sign-in.
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

/** The session in an answer, to be stored. `undefined` for a session that is not authorized. */
function storedSessionOf(
  token: string,
  session: AnswerTo<"GET", "/api/v1/sessions/:id">,
): StoredSession | undefined {
  if ("session" in session) return { token, holder: session.session.address };
  if (!("status" in session) || session.status !== "authorized") return undefined;
  return { token, holder: session.alias ?? session.publicKey, expiresAt: session.expiresAt };
}
