/** Live changes: the stream of the service, event by event, opened again whenever it is lost. */
import { ClientError } from "./client_error.ts";
import type { LiveEvent } from "./contract.ts";

/** First pause before a lost connection is opened again, in seconds. */
const FIRST_PAUSE_SECONDS = 1;
/** Longest pause, in seconds. */
const MAX_PAUSE_SECONDS = 30;
/** Time without any byte after which a connection counts as lost, in milliseconds: three comments. */
const SILENCE_MS = 45_000;
/** Longest block of a stream, in characters: services send much shorter ones. */
const MAX_BLOCK_LENGTH = 2 ** 20;
/** Statuses after which it is tried again, of proxies, too. */
const TEMPORARY = [429, 502, 503, 504];

/** A change, and the id by which a later stream goes on after it. */
export type ClientEvent = LiveEvent & { readonly eventId: string };

/** The changes that are wanted. */
export interface EventOptions {
  /** Id of one repository; all repositories and the node by default. */
  readonly repository?: string;
  /** Types of changes; all by default. `reset` always comes. */
  readonly types?: readonly Exclude<LiveEvent["type"], "reset">[];
  /** Id of the last event that is known; now by default. */
  readonly lastEventId?: string;
  /** Is told whenever the service has answered: from then on, changes are heard. */
  readonly onOpen?: () => void;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** A request for a stream. */
type Open = (
  options: Pick<EventOptions, "repository" | "types"> & { readonly signal: AbortSignal },
  lastId: string | undefined,
) => Promise<Response>;

/**
 * Events until the signal is aborted, or the loop is left.
 *
 * @param wait Waits for some seconds; rejects when the signal is aborted.
 */
export async function* listen(
  open: Open,
  { lastEventId, onOpen, signal, ...options }: EventOptions,
  wait: (seconds: number, signal: AbortSignal | undefined) => Promise<void>,
): AsyncGenerator<ClientEvent, void> {
  let lastId = lastEventId;
  let pauseSeconds = FIRST_PAUSE_SECONDS;
  for (;;) {
    let leastSeconds = 0;
    let isTelling = false;
    const lost = new AbortController();
    const signals = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const expectBytes = () => {
      clearTimeout(silence);
      silence = setTimeout(() => lost.abort(), SILENCE_MS);
    };
    try {
      expectBytes();
      const { body } = await open({ ...options, signal: signals }, lastId);
      isTelling = true;
      onOpen?.();
      isTelling = false;
      for await (const { id, data } of blocksOf(body!, signals, expectBytes)) {
        pauseSeconds = FIRST_PAUSE_SECONDS;
        lastId = id ?? lastId;
        if (data !== undefined) yield { ...JSON.parse(data), eventId: lastId ?? "" };
      }
    } catch (error) {
      signal?.throwIfAborted();
      // An error of the listener itself is none of the connection.
      if (isTelling) throw error;
      if (error instanceof ClientError && !TEMPORARY.includes(error.status)) throw error;
      if (error instanceof ClientError) {
        leastSeconds = Math.min(error.retryAfterSeconds ?? 0, MAX_PAUSE_SECONDS);
      }
    } finally {
      clearTimeout(silence);
      // The loop may have been left.
      lost.abort();
    }
    // Clients of a service that starts again do not all come at once.
    await wait(Math.max(leastSeconds, pauseSeconds * (0.5 + Math.random() / 2)), signal);
    pauseSeconds = Math.min(2 * pauseSeconds, MAX_PAUSE_SECONDS);
  }
}

/** The blocks of a stream (WHATWG HTML, 9.2.6), with their ids and data. Comments are none. */
async function* blocksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  heard: () => void,
): AsyncGenerator<{ readonly id: string | undefined; readonly data: string | undefined }, void> {
  const reader = body.getReader();
  // Not every host ends a body with its request.
  const leave = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  const decoder = new TextDecoder();
  let text = "";
  while (text.length <= MAX_BLOCK_LENGTH) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    // The service ends lines with LF alone.
    text += decoder.decode(value, { stream: true });
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const fields = text.slice(0, end).split("\n");
      const valueOf = (name: string) => fields.find((field) => field.startsWith(name))?.slice(name.length);
      yield { id: valueOf("id: "), data: valueOf("data: ") };
    }
  }
}
