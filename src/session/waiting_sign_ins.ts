/**
 * Limits of sign-ins that wait at a time, by sender, so that no sender can keep others from signing in. A
 * sign-in that has begun is never dropped.
 */
import type { SignInShare } from "../ports/session_table.ts";

/**
 * Classes of senders that share a limit: the node's owner, programs and trusted pages, and pages of foreign
 * sites.
 */
export type SenderKind = "owner" | "other" | "foreignPage";

/** The sender of a request that opens a session. */
export interface Sender {
  readonly kind: SenderKind;
  /** Network address of the client; empty when peers cannot be told apart. */
  readonly peer: string;
  /** `Origin` of the requesting page; empty for other programs. */
  readonly origin: string;
}

/** Maximum number of waiting sign-ins by class of sender. No class can use the share of another. */
export const MAX_WAITING: Readonly<Record<SenderKind, number>> = {
  owner: 1000,
  other: 5000,
  foreignPage: 4000,
};
/** Maximum number of waiting sign-ins from one peer and one `Origin`. */
export const MAX_WAITING_BY_SENDER = 1000;
/** Number of characters of a peer and an `Origin` that identify a sender. */
const MAX_SENDER_LENGTH = 256;

/** The limits of a sender's sign-ins, for tables that several processes share. */
export function shareOf(sender: Sender): SignInShare {
  const { kind } = sender;
  return {
    kind,
    maxOfKind: MAX_WAITING[kind],
    sender: nameOf(sender),
    maxOfSender: MAX_WAITING_BY_SENDER,
  };
}

function nameOf({ kind, peer, origin }: Sender): string {
  return `${kind} ${peer} ${origin}`.slice(0, MAX_SENDER_LENGTH);
}

interface Waiting {
  readonly kind: SenderKind;
  readonly sender: string;
  readonly untilMs: number;
}

/** The sign-ins that wait for a signature. */
export class WaitingSignIns {
  /** By session id, in the order in which they end: all last equally long. */
  readonly #waiting = new Map<string, Waiting>();
  /** Numbers of waiting sign-ins by class and by sender. */
  readonly #counts = new Map<string, number>();

  /**
   * Admits a sign-in that waits until `untilMs`. Returns `false`, without a change, when its sender has too
   * many.
   */
  begin(id: string, from: Sender, nowMs: number, untilMs: number): boolean {
    this.#endExpired(nowMs);
    const [{ kind }, sender] = [from, nameOf(from)];
    if (this.#count(kind) >= MAX_WAITING[kind] || this.#count(sender) >= MAX_WAITING_BY_SENDER) return false;
    this.#waiting.set(id, { kind, sender, untilMs });
    this.#add(kind, 1);
    this.#add(sender, 1);
    return true;
  }

  /** Ends a sign-in after success or cancellation. */
  end(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    this.#add(waiting.kind, -1);
    this.#add(waiting.sender, -1);
  }

  /** Ends all sign-ins. */
  clear(): void {
    this.#waiting.clear();
    this.#counts.clear();
  }

  #endExpired(nowMs: number): void {
    for (const [id, { untilMs }] of this.#waiting) {
      if (untilMs > nowMs) return;
      this.end(id);
    }
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #add(name: string, difference: number): void {
    const count = this.#count(name) + difference;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}
