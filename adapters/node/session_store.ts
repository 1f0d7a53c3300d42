/**
 * Stores sessions in a Redis store, which all processes of one origin share. Each step is one script that the
 * store runs atomically. The store contains digests of tokens instead of tokens.
 */
import type { RedisClientOptions, RedisFunctions, RedisModules, RedisScripts } from "@redis/client";
import { within } from "../../src/async/timer.ts";
import type { Session, SignInShare } from "../../src/ports/session_table.ts";
import { MAX_CLOCK_DIFFERENCE_MS } from "../../src/session/checked_table.ts";
import {
  EXPIRED_LIFETIME_MS,
  MAX_AUTHORIZED_SESSIONS,
  MAX_UNAUTHORIZED_SESSIONS,
} from "../../src/session/memory_table.ts";
import {
  fromStored,
  MAX_STORED_LENGTH,
  type OpenSessionTable,
  storeAway,
  storedKey,
  type StoredTableOptions,
  TableState,
  toStored,
} from "../../src/session/stored_session.ts";

/** Timeout of one step in the store, in milliseconds. After the timeout, the request gets the status 503. */
export const STEP_MS = 2_000;
/** Timeout for connecting, in milliseconds. */
const CONNECT_MS = 2_000;
/**
 * Maximum delay between two attempts to connect, in milliseconds. The first delay is a tenth of the maximum.
 */
const MAX_RECONNECT_MS = 1_000;
/** Maximum number of steps that wait for the store. Further requests get the status 503. */
const MAX_STEPS = 1_000;
/** Time without traffic after which a ping is sent, in milliseconds. */
const PING_MS = 2_000;
/** Time without traffic after which the connection is treated as lost, in milliseconds. */
const SILENCE_MS = 5_000;

/**
 * Start of each script, which defines the names of a node's sets. One set contains all waiting sign-ins.
 * Further sets contain the waiting sign-ins of one class or of one sender. Two sets contain authorized
 * sessions: sessions that may change data, and sessions that may not.
 */
const NAMES = `
local p, now = KEYS[1], tonumber(ARGV[1])
local function waiting() return p .. 'waiting' end
local function of(kind, name) return p .. kind .. ':' .. name end
local function has(key) return redis.call('type', of('session', key)).ok == 'hash' end
local function forget(key)
  local s = of('session', key)
  local kind, sender
  if has(key) then kind, sender = unpack(redis.call('hmget', s, 'kind', 'sender')) end
  redis.call('del', s)
  redis.call('zrem', waiting(), key)
  if kind then redis.call('zrem', of('kind', kind), key) end
  if sender then redis.call('zrem', of('sender', sender), key) end
  redis.call('zrem', p .. 'changing', key)
  redis.call('zrem', p .. 'reading', key)
end
`;

const ADD = `${NAMES}
local _, key, data, expires, lasting, kind, maxOfKind, sender, maxOfSender, max, latest = unpack(ARGV)
expires, lasting = tonumber(expires), tonumber(lasting)
redis.call('zremrangebyscore', of('kind', kind), '-inf', now)
redis.call('zremrangebyscore', of('sender', sender), '-inf', now)
redis.call('zremrangebyscore', waiting(), '-inf', now - lasting)
for _, set in ipairs({ waiting(), of('kind', kind), of('sender', sender) }) do
  redis.call('zremrangebyscore', set, '(' .. latest, '+inf')
end
if redis.call('zcard', of('kind', kind)) >= tonumber(maxOfKind) then return 0 end
if redis.call('zcard', of('sender', sender)) >= tonumber(maxOfSender) then return 0 end
local excess = redis.call('zcard', waiting()) + 1 - tonumber(max)
if excess > 0 then
  local oldest = redis.call('zrangebyscore', waiting(), '-inf', now, 'limit', 0, excess)
  if #oldest < excess then return 0 end
  for _, one in ipairs(oldest) do forget(one) end
end
local ttl = expires + lasting - now
redis.call('hset', of('session', key), 'status', 'waiting', 'data', data, 'kind', kind, 'sender', sender)
redis.call('pexpire', of('session', key), ttl)
for _, set in ipairs({ waiting(), of('kind', kind), of('sender', sender) }) do
  redis.call('zadd', set, expires, key)
  redis.call('pexpire', set, ttl)
end
return 1`;

const AUTHORIZE = `${NAMES}
local _, key, data, expires, lasting, mayChange, max = unpack(ARGV)
if not has(key) or redis.call('hget', of('session', key), 'status') ~= 'waiting' then return 0 end
forget(key)
local sets = { p .. 'reading', p .. 'changing' }
local function count() return redis.call('zcard', sets[1]) + redis.call('zcard', sets[2]) end
if count() >= tonumber(max) then
  for _, set in ipairs(sets) do
    for _, one in ipairs(redis.call('zrange', set, 0, -1)) do
      if redis.call('exists', of('session', one)) == 0 then redis.call('zrem', set, one) end
    end
  end
end
while count() >= tonumber(max) do
  local oldest = redis.call('zrange', sets[1], 0, 0)[1] or redis.call('zrange', sets[2], 0, 0)[1]
  forget(oldest)
end
local ttl = tonumber(expires) + tonumber(lasting) - now
redis.call('hset', of('session', key), 'status', 'authorized', 'data', data)
redis.call('pexpire', of('session', key), ttl)
redis.call('zadd', mayChange == '1' and sets[2] or sets[1], redis.call('incr', p .. 'count'), key)
return 1`;

const REMOVE = `${NAMES}
if not has(ARGV[2]) then return 0 end
forget(ARGV[2])
return 1`;

const FIND = `${NAMES}
local _, key, maxLength = unpack(ARGV)
if not has(key) or redis.call('hstrlen', of('session', key), 'data') > tonumber(maxLength) then return false end
return redis.call('hget', of('session', key), 'data')`;

/** Formats the URL of a store for logs, without user and password. */
export function showStore(text: string): string {
  if (/^unix:/i.test(text)) return text;
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

/**
 * Connects to a store. While the store cannot be reached, steps fail within seconds, and further attempts to
 * connect are made.
 *
 * @param url `redis://[user][:password@]host[:port][/number]`, `rediss://…`, or `unix:/path`.
 * @throws {Error} when the package `@redis/client` is not installed.
 */
export async function openSessionStore(url: string, options: StoredTableOptions): Promise<OpenSessionTable> {
  const { createClient } = await loadClient();
  const client = createClient(clientOptions(url));
  const table = new SessionStore(url, client, options);
  await table.connect();
  return table;
}

/** Names of the client module. On Deno, a program from JSR loads the module from npm. */
const CLIENTS = ["@redis/client", ..."Deno" in globalThis ? ["npm:@redis/client@6"] : []];

/**
 * Loads the optional package. The name of the module is not a literal, so that bundlers do not include the
 * package.
 */
async function loadClient(): Promise<typeof import("@redis/client")> {
  let cause: unknown;
  for (const name of CLIENTS) {
    try {
      return await import(name);
    } catch (error) {
      cause = error;
    }
  }
  throw new Error("Sessions in a store need the package @redis/client: npm install @redis/client", { cause });
}

type Options = RedisClientOptions<RedisModules, RedisFunctions, RedisScripts, 2>;

function clientOptions(url: string): Options {
  const socket = {
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    reconnectStrategy: (attempt: number) => Math.min(MAX_RECONNECT_MS, (attempt + 1) * MAX_RECONNECT_MS / 10),
  };
  const common = {
    // Every store supports version 2 of the protocol.
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_STEPS,
    pingInterval: PING_MS,
    maintNotifications: "disabled",
  } as const;
  const path = /^unix:(.*)$/i.exec(url)?.[1];
  return path === undefined ? { ...common, url, socket } : { ...common, socket: { ...socket, path } };
}

interface Client {
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: "error" | "ready", listener: (error?: unknown) => void): unknown;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

class SessionStore implements OpenSessionTable {
  readonly #url: string;
  readonly #client: Client;
  readonly #options: StoredTableOptions;
  readonly #state: TableState;
  #isClosed = false;

  constructor(url: string, client: Client, options: StoredTableOptions) {
    this.#url = url;
    this.#client = client;
    this.#options = options;
    this.#state = new TableState(`sessions in ${showStore(url)}`, options.log);
    client.on("error", (error) => this.#noteAway(error));
    client.on("ready", () => this.#state.back());
  }

  async connect(): Promise<void> {
    const connecting = this.#client.connect();
    await within(connecting, CONNECT_MS).catch((error) => this.#noteAway(error));
  }

  async add(session: Session, share?: SignInShare): Promise<boolean> {
    const { kind = "", maxOfKind = Infinity, sender = "", maxOfSender = Infinity } = share ?? {};
    return await this.#step(
      readDecision,
      ADD,
      session.id,
      toStored(session, this.#key(session.id)),
      session.expiresAtMs,
      EXPIRED_LIFETIME_MS,
      kind,
      Math.min(maxOfKind, MAX_UNAUTHORIZED_SESSIONS),
      this.#key(sender),
      Math.min(maxOfSender, MAX_UNAUTHORIZED_SESSIONS),
      MAX_UNAUTHORIZED_SESSIONS,
      // Later, expired sign-ins are removed from the sets. No sign-in can last longer than this time.
      session.expiresAtMs + MAX_CLOCK_DIFFERENCE_MS,
    );
  }

  async find(id: string): Promise<Session | undefined> {
    const session = await this.#step(
      (reply) => fromStored(id, this.#key(id), reply),
      FIND,
      id,
      MAX_STORED_LENGTH,
    );
    // The clock of the store may differ from the clock of this process, so the expiry is checked again.
    return session && session.expiresAtMs + EXPIRED_LIFETIME_MS > this.#options.now() ? session : undefined;
  }

  async authorize(session: Session): Promise<boolean> {
    return await this.#step(
      readDecision,
      AUTHORIZE,
      session.id,
      toStored(session, this.#key(session.id)),
      session.expiresAtMs,
      EXPIRED_LIFETIME_MS,
      session.mayChange ? 1 : 0,
      MAX_AUTHORIZED_SESSIONS,
    );
  }

  async remove(id: string): Promise<boolean> {
    return await this.#step(readDecision, REMOVE, id);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#client.destroy();
  }

  #key(text: string): string {
    return storedKey(this.#options.scope, text);
  }

  /**
   * Runs a script with the current time, the key of a session and further arguments. Returns the result that
   * `read` makes from the reply.
   */
  async #step<T>(
    read: (reply: unknown) => T,
    script: string,
    id: string,
    ...rest: readonly (string | number)[]
  ): Promise<T> {
    const { scope, now } = this.#options;
    try {
      const step = this.#client.eval(script, {
        // All keys of a node contain the same text in braces, so that a Redis cluster stores the keys in the
        // same slot.
        keys: [`xylem:{${scope}}:`],
        arguments: [now(), this.#key(id), ...rest].map(String),
      });
      const result = read(await within(step, STEP_MS));
      this.#state.back();
      return result;
    } catch (error) {
      this.#noteAway(error);
      throw storeAway();
    }
  }

  #noteAway(error: unknown): void {
    if (this.#isClosed) return;
    const reason = error instanceof Error ? error.message || error.name : "no connection";
    this.#state.away(new Error(this.#hideSecrets(reason)));
  }

  #hideSecrets(message: string): string {
    if (/^unix:/i.test(this.#url)) return message;
    const { username, password } = new URL(this.#url);
    return [password, decodeURIComponent(password), username, decodeURIComponent(username)]
      .filter((secret) => secret !== "")
      .reduce((text, secret) => text.replaceAll(secret, "…"), message);
  }
}

function readDecision(reply: unknown): boolean {
  if (reply !== 0 && reply !== 1) throw new Error("an answer of an unexpected form");
  return reply === 1;
}
