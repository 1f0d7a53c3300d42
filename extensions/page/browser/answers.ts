/**
 * Loads responses of the service for views. A cache keeps earlier responses, so that a view appears at once
 * when the visitor goes back.
 */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import {
  type AnswerTo,
  ClientError,
  type FilePath,
  type ParamsOf,
  type PathOf,
  type RequestOptions,
} from "../../../src/client/mod.ts";
import { visitor } from "./app.ts";
import { onChanges } from "./live.ts";

/** Maximum number of cached responses. A new response replaces the oldest response. */
const MAX_CACHED = 24;

/** Delay before the next attempt when the service could not be reached, in milliseconds. */
const RETRY_MS = 3000;

const cached = new Map<string, unknown>();

/**
 * Empties the cache. Call this function when the visitor signs in or out, because another visitor may get
 * other responses.
 */
export function forgetAnswers(): void {
  cached.clear();
}

/** `value` and `error` are both `undefined` while the response is loading. */
export interface Answer<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  /** Sends the request again. */
  readonly reload: () => void;
}

/**
 * Loads a response. Returns a cached response until the new response arrives. If the service cannot be
 * reached, the request is sent again after a delay, and when the browser is online again.
 *
 * @param key Identifies the request. When the key changes, a new request is sent.
 */
export function useAnswer<Value>(
  key: string,
  load: (options: { readonly signal: AbortSignal }) => Promise<Value>,
): Answer<Value> {
  const [settled, settle] = useState<{ key: string; value?: Value; error?: unknown }>({ key: "" });
  const [turn, setTurn] = useState(0);
  const reload = () => setTurn((turn) => turn + 1);
  useLayoutEffect(() => {
    const control = new AbortController();
    load({ signal: control.signal }).then((value) => {
      if (control.signal.aborted) return;
      cached.delete(key);
      cached.set(key, value);
      if (cached.size > MAX_CACHED) cached.delete(cached.keys().next().value!);
      settle({ key, value });
    }, (error) => {
      if (!control.signal.aborted) settle({ key, error });
    });
    return () => control.abort();
  }, [key, turn]);
  const isCurrent = settled.key === key;
  const error = isCurrent ? settled.error : undefined;
  useEffect(() => {
    if (error === undefined || error instanceof ClientError) return;
    addEventListener("online", reload);
    const timer = setTimeout(reload, RETRY_MS);
    return () => {
      removeEventListener("online", reload);
      clearTimeout(timer);
    };
  }, [settled]);
  const value = isCurrent && error === undefined ? settled.value : cached.get(key) as Value | undefined;
  return { value, error, reload };
}

/** Loads a path of the API with {@link useAnswer}. */
export function useGet<P extends Exclude<PathOf<"GET">, FilePath>>(
  path: P,
  params: ParamsOf<"GET", P>,
): Answer<AnswerTo<"GET", P>> {
  type Get = (path: P, params: ParamsOf<"GET", P>, options: RequestOptions) => Promise<AnswerTo<"GET", P>>;
  return useAnswer(
    `${path} ${JSON.stringify(params)}`,
    (options) => (visitor.client.get as unknown as Get)(path, params, options),
  );
}

/**
 * Calls `reload` when data has changed, and when the visitor returns to the tab.
 *
 * @param rid Repository whose changes matter; all repositories by default.
 */
export function useFreshness(reload: () => void, rid?: string): void {
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === "visible") reload();
    };
    document.addEventListener("visibilitychange", refresh);
    const stop = onChanges(refresh, rid);
    return () => {
      stop();
      document.removeEventListener("visibilitychange", refresh);
    };
  }, [rid]);
}

/** Explains an error to the visitor, and suggests what to do. */
export function explain(error: unknown): string {
  if (!(error instanceof ClientError)) {
    if (error instanceof TypeError) {
      return navigator.onLine
        ? "The service cannot be reached. It may have ended, or the connection is broken."
        : "This browser is offline. The view loads as soon as it is online again.";
    }
    return error instanceof Error ? error.message : String(error);
  }
  const { code, message } = error;
  const advice = {
    unauthorized: "Your session may have ended: sign in again.",
    forbidden: "Your session may not do that.",
    conflict: "It has changed meanwhile, or does not allow this any more. Reload it, then try again.",
    payloadTooLarge: "It is too large for the service.",
    unavailable: "The service is busy: try again in a moment.",
  }[code as string];
  return advice === undefined ? message : `${message.replace(/\.?$/, ".")} ${advice}`;
}
