/**
 * The visitor's session. The token of the session is in `sessionStorage`, so the session ends when the tab is
 * closed. A link that `xylem session` prints signs a visitor in.
 */
import {
  type AnswerTo,
  type Client,
  type ClientOptions,
  type ConsistencyTokens,
  createClient,
} from "../../../src/client/mod.ts";

/** Pattern of session ids. The id of a session is also its token. */
const TOKEN = /^[A-Za-z0-9]{32}$/;
/** Pattern for the end of a link that `xylem session` prints, after `#` or in the path of a web app. */
const LINK = /\/session\/([A-Za-z0-9]{32})\?([^#]{0,1024})$/;

/**
 * Maximum number of repositories for which a tab stores a consistency token. A further token replaces the
 * oldest token.
 */
const MAX_CONSISTENCY_TOKENS = 100;

/**
 * Id of a session, and the proof that authorizes the session. A session that is already authorized needs no
 * proof.
 */
export interface SignIn {
  readonly id: string;
  readonly proof?: { readonly pk: string; readonly sig: string };
}

/** Parses a token, or a link that `xylem session` prints. Returns `undefined` for any other text. */
export function parseSignIn(text: string): SignIn | undefined {
  const trimmed = text.trim();
  if (TOKEN.test(trimmed)) return { id: trimmed };
  const [, id, query] = LINK.exec(trimmed) ?? [];
  const parameters = new URLSearchParams(query);
  const pk = parameters.get("pk");
  const sig = parameters.get("sig");
  return id === undefined || pk === null || sig === null ? undefined : { id, proof: { pk, sig } };
}

interface StoredSession {
  readonly token: string;
  readonly holder: string;
  /**
   * Time at which the session expires, in seconds since the Unix epoch. `undefined` for the session of a
   * wallet.
   */
  readonly expiresAt?: number;
}

export class Visitor {
  /** URL of the service without a slash at the end. */
  readonly base: string;
  /** Sends requests to the service, with the token of the session if the visitor is signed in. */
  client: Client;
  /** Alias of the node or address of the wallet; `undefined` without a session. */
  ofSession: string | undefined;
  onchange: () => void = () => {};
  readonly #storage: Storage;
  readonly #options: ClientOptions;
  readonly #key: string;
  readonly #now: () => number;

  /**
   * @param base URL of the page, with a slash at the end.
   * @param storage The `sessionStorage` of the tab.
   * @param now Returns the time in milliseconds since the Unix epoch.
   */
  constructor(base: URL, storage: Storage, options: ClientOptions = {}, now: () => number = Date.now) {
    this.base = base.href.replace(/\/$/, "");
    this.#storage = storage;
    // The path is part of the key, because several services may share one origin.
    this.#key = `xylem session ${base.pathname}`;
    this.#now = now;
    this.#options = { consistencyTokens: storedTokens(storage, `xylem tokens ${base.pathname}`), ...options };
    this.client = this.#clientWith(undefined);
  }

  get token(): string | undefined {
    return this.client.token;
  }

  /**
   * Resumes the session of this tab, unless the session has expired. The service is not asked whether the
   * session is still valid, because the request path would contain the token, and logs contain paths. If the
   * service has ended the session, the first change is refused.
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
   * @throws {Error} when the session has not been authorized.
   */
  async signIn({ id, proof }: SignIn): Promise<void> {
    // The request is sent without the current token, because a refusal must not end the current session of
    // the tab.
    const client = this.#clientWith(undefined);
    if (proof !== undefined) await client.put("/api/v1/sessions/:id", { id }, proof);
    const session = storedSessionOf(id, await client.get("/api/v1/sessions/:id", { id }));
    if (session === undefined) throw new Error("Nobody has authorized this session");
    this.#storage.setItem(this.#key, JSON.stringify(session));
    this.#begin(session);
    this.onchange();
  }

  async signOut(): Promise<void> {
    // Errors are ignored. A service for wallets has no sign-out, and the session may have ended already.
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
        // The page still shows the session, because the visitor may be writing a text. The session is gone
        // after the next reload.
        if (response.status === 401 && this.token === token) this.#storage.removeItem(this.#key);
        return response;
      },
    });
  }
}

/**
 * Returns the consistency tokens in the storage of a tab. With these tokens, no replica shows a state that is
 * older than the visitor's own changes, not even after a reload or a sign-in.
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

/**
 * Converts the session in a response to the stored data; `undefined` for a session that is not authorized.
 */
function storedSessionOf(
  token: string,
  session: AnswerTo<"GET", "/api/v1/sessions/:id">,
): StoredSession | undefined {
  if ("session" in session) return { token, holder: session.session.address };
  if (!("status" in session) || session.status !== "authorized") return undefined;
  return { token, holder: session.alias ?? session.publicKey, expiresAt: session.expiresAt };
}
