/** Values that differ from run to run: put into recorded requests, and taken out of answers before they are compared. */
import { Buffer } from "node:buffer";
import { createPrivateKey, sign } from "node:crypto";
import { base58 } from "@scure/base";
import { VERSION } from "../../src/version.ts";
import type { Recorded, SequenceHead } from "./recordings.ts";

/** Where the other node listened when it was recorded. */
const RECORDED_ADDRESS = "127.0.0.1:18776";
/** PKCS #8 of an Ed25519 key without its 32 bytes (RFC 8410). */
const KEY_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SESSION_ID = /"sessionId":"([0-9A-Za-z]{32})"/;
const ISSUED_AT = /"issuedAt":(\d+)/;
const EXPIRES_AT = /"expiresAt":(\d+)/;

interface Session {
  readonly name: string;
  readonly id: string;
  readonly issuedAtSeconds: number;
}

/** The placeholders of one replay: `{{HOME}}`, `{{VERSION}}`, sessions with their signatures and times, the address of the other node. */
export class Placeholders {
  readonly #home: string;
  readonly #head: SequenceHead | undefined;
  readonly #sessions: Session[] = [];
  #address = RECORDED_ADDRESS;

  /** @param home folder of the home. @param head names the key that signs for sessions. */
  constructor(home: string, head?: SequenceHead) {
    this.#home = home;
    this.#head = head;
  }

  /** Where the other node listens in this run. */
  set address(address: string) {
    this.#address = address;
  }

  /** A recorded value as it is sent. */
  fill<T>(value: T): T {
    if (value === undefined) return value;
    let text = JSON.stringify(value).replaceAll(RECORDED_ADDRESS, this.#address);
    for (const { name, id } of this.#sessions) {
      text = text.replaceAll(`{{${name}}}`, id);
      if (text.includes(`{{SIG:${name}}}`)) text = text.replaceAll(`{{SIG:${name}}}`, this.#sign(id));
    }
    return JSON.parse(text);
  }

  #sign(sessionId: string): string {
    const { seed, nodeId } = this.#head!;
    const der = Buffer.concat([KEY_PREFIX, Buffer.from(seed, "hex")]);
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    return `z${base58.encode(sign(null, Buffer.from(`${sessionId}:${nodeId}`), key))}`;
  }

  /**
   * The JSON text of an answer as it would have been recorded. A new session must be issued between `sentMs` and now.
   * @param sentMs when the request was sent, in milliseconds since 1970.
   */
  toRecorded(text: string, { savesSession = "SESSION", lifetime }: Recorded, sentMs: number): string {
    const plain = text.replaceAll(this.#home, "{{HOME}}")
      .replace(new RegExp(`"${VERSION.replaceAll(".", "\\.")}-(dev|[0-9a-f]+)"`, "g"), '"{{VERSION}}"')
      .replaceAll(this.#address, RECORDED_ADDRESS);
    const [, id] = SESSION_ID.exec(plain) ?? [];
    if (id === undefined) return this.#withSessions(plain);
    const issuedAt = Number(ISSUED_AT.exec(plain)?.[1]), expiresAt = Number(EXPIRES_AT.exec(plain)?.[1]);
    if (!this.#sessions.some((session) => session.id === id)) {
      const isNow = issuedAt >= Math.floor(sentMs / 1000) && issuedAt <= Math.floor(Date.now() / 1000);
      if (isNow) this.#sessions.push({ name: savesSession, id, issuedAtSeconds: issuedAt });
    }
    const known = this.#sessions.find((session) => session.id === id);
    if (known?.issuedAtSeconds !== issuedAt) return plain;
    // An authorized session lasts from when it was authorized, which may be a second or more after its issue.
    const beginsAt = expiresAt - (lifetime ?? NaN);
    const isWithin = beginsAt >= issuedAt && beginsAt <= Math.floor(Date.now() / 1000);
    const lasts = beginsAt === issuedAt || isWithin && plain.includes('"status":"authorized"');
    return this.#withSessions(plain).replace(ISSUED_AT, '"issuedAt":"{{NOW}}"')
      .replace(EXPIRES_AT, `"expiresAt":"{{NOW+${lasts ? "lifetime" : expiresAt - issuedAt}}}"`);
  }

  #withSessions(text: string): string {
    return this.#sessions.reduce((filled, { name, id }) => filled.replaceAll(id, `{{${name}}}`), text);
  }
}
