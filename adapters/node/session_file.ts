/**
 * Stores sessions in an SQLite file, which several processes of one home can share. The file contains digests
 * of tokens instead of tokens, and only its owner can read the file.
 */
import { chmodSync, closeSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../src/errors.ts";
import type { Session, SignInShare } from "../../src/ports/session_table.ts";
import { MAX_CLOCK_DIFFERENCE_MS } from "../../src/session/checked_table.ts";
import {
  EXPIRED_LIFETIME_MS,
  MAX_AUTHORIZED_SESSIONS,
  MAX_UNAUTHORIZED_SESSIONS,
} from "../../src/session/memory_table.ts";
import { AUTHORIZED_LIFETIME_MS } from "../../src/session/sessions.ts";
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
import { Database, isBusy, isDamageCode, loadSqlite } from "./sqlite.ts";

/** Timeout of a wait for another process that writes to the file, in milliseconds. */
export const MAX_BUSY_MS = 3_000;
/**
 * Delay before the next attempt to use a locked file, in milliseconds. A wait inside SQLite would block all
 * requests.
 */
const BUSY_PAUSE_MS = 5;
/** Application id in the header of the files that this module makes: "XySe". */
const APPLICATION_ID = 0x58795365;
const SCHEMA_VERSION = 1;

const SCHEMA = [
  `create table session (
    number integer primary key,
    key text not null unique,
    is_authorized integer not null,
    may_change integer not null,
    expires integer not null,
    kind text not null,
    sender text not null,
    data text not null
  )`,
  "create index by_expiry on session (expires)",
  "create index waiting_by_kind on session (kind, expires) where is_authorized = 0",
  "create index waiting_by_sender on session (sender, expires) where is_authorized = 0",
  "create index by_age on session (is_authorized, may_change, number)",
  `pragma application_id = ${APPLICATION_ID}`,
  `pragma user_version = ${SCHEMA_VERSION}`,
];

/** First bytes of an SQLite file, and the offset of its application id. */
const MAGIC = new TextEncoder().encode("SQLite format 3\0");
const APPLICATION_ID_AT = 68;
const HEADER_BYTES = 100;
/** Suffix that is added to the name of a damaged file. */
const DAMAGED_END = ".damaged";

/**
 * Opens or creates the file of sessions. The folder of `path` must exist. A damaged file is renamed, and all
 * clients have to sign in again.
 *
 * @throws {Error} when the file cannot be used, or when another program may have made the file.
 */
export async function openSessionFile(path: string, options: StoredTableOptions): Promise<OpenSessionTable> {
  const { DatabaseSync } = await loadSqlite();
  const table = new SessionFile(path, options, () => new DatabaseSync(path));
  try {
    await table.open();
  } catch (error) {
    table.close();
    throw new Error(`Cannot store sessions in ${path}: ${messageOf(error)}`, { cause: error });
  }
  return table;
}

class SessionFile implements OpenSessionTable {
  readonly #path: string;
  readonly #options: StoredTableOptions;
  readonly #openDatabase: () => DatabaseSync;
  #database: Database | undefined;
  #isClosed = false;
  readonly #state: TableState;

  constructor(path: string, options: StoredTableOptions, openDatabase: () => DatabaseSync) {
    this.#path = path;
    this.#options = options;
    this.#openDatabase = openDatabase;
    this.#state = new TableState(`sessions in ${path}`, options.log);
  }

  open(): Promise<void> {
    return this.#retry(() => {});
  }

  add(session: Session, share?: SignInShare): Promise<boolean> {
    const { kind = "", sender = "" } = share ?? {};
    const senderKey = this.#key(sender);
    return this.#write((now) => {
      this.#removeOver(now);
      if (share !== undefined) {
        const ofKind = "select count(*) from session where is_authorized = 0 and kind = ? and expires > ?";
        if (this.#db.number(ofKind, kind, now) >= share.maxOfKind) return false;
        const ofSender =
          "select count(*) from session where is_authorized = 0 and sender = ? and expires > ?";
        if (this.#db.number(ofSender, senderKey, now) >= share.maxOfSender) return false;
      }
      const excess = 1 + this.#db.number("select count(*) from session where is_authorized = 0") -
        MAX_UNAUTHORIZED_SESSIONS;
      if (excess > 0) {
        const oldest =
          "select number from session where is_authorized = 0 and expires <= ? order by number limit ?";
        const rows = this.#db.run(oldest, now, excess);
        if (rows.length < excess) return false;
        for (const { number } of rows) this.#db.run("delete from session where number = ?", Number(number));
      }
      this.#insert(session, kind, senderKey);
      return true;
    });
  }

  find(id: string): Promise<Session | undefined> {
    const key = this.#key(id);
    return this.#guard(() => {
      const after = this.#options.now() - EXPIRED_LIFETIME_MS;
      const one = "select data from session where key = ? and expires > ? and octet_length(data) <= ?";
      const [row] = this.#db.run(one, key, after, MAX_STORED_LENGTH);
      return fromStored(id, key, row?.["data"]);
    });
  }

  authorize(session: Session): Promise<boolean> {
    const key = this.#key(session.id);
    return this.#write((now) => {
      const waiting = this.#db.run(
        "delete from session where key = ? and is_authorized = 0 returning number",
        key,
      );
      if (waiting.length === 0) return false;
      this.#removeOver(now);
      const excess = 1 + this.#db.number("select count(*) from session where is_authorized = 1") -
        MAX_AUTHORIZED_SESSIONS;
      // Sessions that may not change anything are removed first, and then the oldest sessions.
      const least = "select number from session where is_authorized = 1 order by may_change, number limit ?";
      for (const { number } of excess > 0 ? this.#db.run(least, excess) : []) {
        this.#db.run("delete from session where number = ?", Number(number));
      }
      this.#insert(session, "", "");
      return true;
    });
  }

  remove(id: string): Promise<boolean> {
    const key = this.#key(id);
    return this.#write(() =>
      this.#db.run("delete from session where key = ? returning number", key).length > 0
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#closeDatabase();
  }

  #insert(session: Session, kind: string, sender: string): void {
    // The new session gets the highest number, so that it is removed last.
    const key = this.#key(session.id);
    this.#db.run(
      "insert into session select coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, ? from session",
      key,
      session.status === "authorized" ? 1 : 0,
      session.mayChange ? 1 : 0,
      session.expiresAtMs,
      kind,
      sender,
      toStored(session, key),
    );
  }

  /** Also removes rows whose expiry is further in the future than a session can last. */
  #removeOver(nowMs: number): void {
    this.#db.run(
      "delete from session where expires <= ? or expires > ?",
      nowMs - EXPIRED_LIFETIME_MS,
      nowMs + AUTHORIZED_LIFETIME_MS + MAX_CLOCK_DIFFERENCE_MS,
    );
  }

  #key(text: string): string {
    return storedKey(this.#options.scope, text);
  }

  #write<T>(step: (nowMs: number) => T): Promise<T> {
    return this.#guard(() => this.#db.transaction(() => step(this.#options.now())));
  }

  /**
   * Runs a step, and converts every failure into the error {@link storeAway}. No client counts as signed in
   * while the file cannot be used.
   */
  async #guard<T>(step: () => T): Promise<T> {
    try {
      const result = await this.#retry(step);
      this.#state.back();
      return result;
    } catch (error) {
      this.#closeDatabase();
      if (!this.#isClosed) this.#state.away(error);
      throw storeAway();
    }
  }

  /** Runs a step again as long as another process has locked the file. */
  async #retry<T>(step: () => T): Promise<T> {
    for (let waitedMs = 0;; waitedMs += BUSY_PAUSE_MS) {
      try {
        this.#opened();
        return step();
      } catch (error) {
        if (!isBusy(error) || waitedMs >= MAX_BUSY_MS || this.#isClosed) throw error;
      }
      await new Promise((resume) => setTimeout(resume, BUSY_PAUSE_MS));
    }
  }

  /** Opens the database if it is not open, or if the path now leads to another file. */
  #opened(): void {
    if (this.#isClosed) throw new Error("It is closed");
    if (this.#database?.isThere) return;
    this.#closeDatabase();
    try {
      this.#database = this.#prepared();
    } catch (error) {
      const isDamaged = error instanceof DamagedFileError || isDamageCode(error) && isOurs(this.#path);
      if (!isDamaged) throw error;
      setAside(this.#path);
      this.#options.log(
        "warn",
        `The sessions in ${this.#path} are lost, because the file was damaged; it was renamed to end in .damaged`,
      );
      this.#database = this.#prepared();
    }
  }

  #prepared(): Database {
    // Opening a pipe would not end.
    if (statSync(this.#path, { throwIfNoEntry: false })?.isFile() === false) {
      throw new Error("it is not a file");
    }
    // The file is created before SQLite opens it, because SQLite gives its journal files the same mode.
    closeSync(openSync(this.#path, "a", 0o600));
    const database = new Database(this.#openDatabase(), this.#path);
    try {
      prepare(database, this.#path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #closeDatabase(): void {
    try {
      this.#database?.close();
    } catch {
      // If closing fails, the connection was already broken, and no data is lost.
    }
    this.#database = undefined;
  }

  get #db(): Database {
    return this.#database!;
  }
}

/** A file of this module is damaged. */
class DamagedFileError extends Error {
  override readonly name = "DamagedFileError";
}

/**
 * Checks that this module has made the file, and that the file is not damaged. Sets the options of the
 * database, and creates the tables in an empty file.
 */
function prepare(database: Database, path: string): void {
  const isEmpty = () => database.number("select count(*) from sqlite_schema") === 0;
  if (!isEmpty()) {
    const [first] = database.run("select sql from sqlite_schema where name = 'session'");
    const hasId = database.number("pragma application_id") === APPLICATION_ID;
    const hasVersion = database.number("pragma user_version") === SCHEMA_VERSION;
    // SQLite stores `create table` in capital letters.
    if (!hasId && String(first?.["sql"]).toLowerCase() !== SCHEMA[0]) {
      throw new Error("the file has other data");
    }
    if (database.findDamage() !== undefined || !hasId || !hasVersion) throw new DamagedFileError();
  }
  chmodSync(path, 0o600);
  database.run("pragma secure_delete = on");
  // Readers do not wait for writers in this mode. A crash of the machine may lose the last sessions, but does
  // not damage the file.
  database.run("pragma journal_mode = wal");
  database.run("pragma synchronous = normal");
  if (!isEmpty()) return;
  database.transaction(() => {
    if (isEmpty()) { for (const statement of SCHEMA) database.run(statement); }
  });
}

/**
 * Checks whether this module has made a damaged file: the header contains the application id of this module,
 * or the header is missing or zero. Files of other programs must not be changed.
 */
function isOurs(path: string): boolean {
  const header = new Uint8Array(HEADER_BYTES);
  const file = openSync(path, "r");
  let length: number;
  try {
    length = readSync(file, header);
  } finally {
    closeSync(file);
  }
  if (new DataView(header.buffer).getUint32(APPLICATION_ID_AT) === APPLICATION_ID) return true;
  if (length < HEADER_BYTES) {
    return header.subarray(0, length).every((byte, i) => byte === (MAGIC[i] ?? byte));
  }
  return header.every((byte) => byte === 0);
}

function setAside(path: string): void {
  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  renameSync(path, path + DAMAGED_END);
}
