/** Reads the event stream of the service, and connects again whenever the connection is lost. */
import { ClientError } from "./client_error.ts";
import type { LiveEvent } from "./contract.ts";

/** Delay before the first attempt to connect again, in seconds. */
const FIRST_PAUSE_SECONDS = 1;
/** Maximum delay before an attempt to connect again, in seconds. */
const MAX_PAUSE_SECONDS = 30;
/**
 * Timeout after which a connection without any received byte counts as lost, in milliseconds. The service
 * sends a comment every 15 s.
 */
const SILENCE_MS = 45_000;
/** Maximum length of an event in the stream, in characters. Services send much shorter events. */
const MAX_BLOCK_LENGTH = 2 ** 20;
/** HTTP statuses after which the client tries again. Proxies may also send these statuses. */
const TEMPORARY = [429, 502, 503, 504];

/** A change, and the event id after which a later stream can continue. */
export type ClientEvent = LiveEvent & { readonly eventId: string };

export interface EventOptions {
  /** Id of a repository. By default, the stream yields changes of all repositories and the node. */
  readonly repository?: string;
  /** Types of the changes to yield; all by default. A `reset` is always yielded. */
  readonly types?: readonly Exclude<LiveEvent["type"], "reset">[];
  /** Id of the last event that the caller knows. By default, only new changes are sent. */
  readonly lastEventId?: string;
  /** Called whenever the service has accepted the connection. Changes from then on are reported. */
  readonly onOpen?: () => void;
  /** Ends the stream when aborted. */
  readonly signal?: AbortSignal;
}

type Open = (
  options: Pick<EventOptions, "repository" | "types"> & { readonly signal: AbortSignal },
  lastId: string | undefined,
) => Promise<Response>;

/**
 * Yields events until the signal is aborted, or the caller leaves its `for await` loop.
 *
 * @param wait Waits for a number of seconds. Rejects when the signal is aborted.
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
      // An error that `onOpen` throws is not a connection error.
      if (isTelling) throw error;
      if (error instanceof ClientError && !TEMPORARY.includes(error.status)) throw error;
      if (error instanceof ClientError) {
        leastSeconds = Math.min(error.retryAfterSeconds ?? 0, MAX_PAUSE_SECONDS);
      }
    } finally {
      clearTimeout(silence);
      // The caller may have left the loop early, with the connection still open.
      lost.abort();
    }
    // The random delay distributes the clients of a restarted service over time.
    await wait(Math.max(leastSeconds, pauseSeconds * (0.5 + Math.random() / 2)), signal);
    pauseSeconds = Math.min(2 * pauseSeconds, MAX_PAUSE_SECONDS);
  }
}

/**
 * Yields the id and the data of each block of a stream (WHATWG HTML, 9.2.6). A comment has neither an id nor
 * data.
 */
async function* blocksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  heard: () => void,
): AsyncGenerator<{ readonly id: string | undefined; readonly data: string | undefined }, void> {
  const reader = body.getReader();
  // On some hosts, aborting a request does not end its body.
  const leave = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  const decoder = new TextDecoder();
  let text = "";
  while (text.length <= MAX_BLOCK_LENGTH) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    // The service uses only LF as line end.
    text += decoder.decode(value, { stream: true });
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const fields = text.slice(0, end).split("\n");
      const valueOf = (name: string) => fields.find((field) => field.startsWith(name))?.slice(name.length);
      yield { id: valueOf("id: "), data: valueOf("data: ") };
    }
  }
}
