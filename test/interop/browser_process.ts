/** A real Chromium, driven over its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/): pages that a test opens and runs functions in. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { removeFolder, temporaryFolder } from "../support/programs.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** How long it may take to end before it is killed. */
const STOP_LIMIT_MS = 5000;
/** How much of what it writes to stderr is kept, in characters. */
const ERRORS_KEPT = 20_000;

/** Ends a message of the protocol when it goes through a pipe. */
const END = "\0";

/** What is said to have been requested, in place of asking the network. */
const EMPTY_PAGE = "<!doctype html><title>page of a test</title>";

/** A page in a browser. */
export interface Page {
  /**
   * Runs a function in the page and answers what it resolves with. It knows nothing but its arguments and what pages have; arguments and result are
   * JSON.
   */
  run<Arguments extends readonly unknown[], Result>(
    call: (...args: Arguments) => Promise<Result>,
    ...args: Arguments
  ): Promise<Result>;
  /** Goes to another address in the same tab. */
  visit(url: string): Promise<void>;
  /** Runs the text of a script, which no policy of the page keeps out. */
  runScript(script: string): Promise<void>;
  /** Errors in the console so far: those of scripts, of loading, and of policies. */
  errors(): readonly string[];
  /** Shows the page as on another screen. */
  emulate(screen: Screen): Promise<void>;
  /** Takes the network away from the page, or gives it back. */
  offline(isOffline: boolean): Promise<void>;
  /**
   * Holds requests back whose addresses fit a pattern, in which `*` stands for any text, or answers them in the
   * service's place. The result lets all of them go on, and leads further ones to the service.
   */
  intercept(pattern: string, answer?: MadeUpAnswer): Promise<() => Promise<void>>;
  /** Presses and releases a key, by its name (UI Events KeyboardEvent code). */
  press(key: "Tab" | "Enter"): Promise<void>;
  /** A picture of what is seen, as WebP. */
  picture(): Promise<Uint8Array>;
}

/** An answer in JSON. */
export interface MadeUpAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A screen, in CSS pixels. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
}

/** What keys send (Input.dispatchKeyEvent). */
const KEYS = {
  Tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
  Enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
};

/** A running browser. */
export interface Browser {
  /**
   * Opens a page. With `isMadeUp` the browser is given an empty page without asking the network: the page is of its origin nevertheless, one of
   * the internet.
   */
  open(url: string, options?: { readonly isMadeUp?: boolean }): Promise<Page>;
  /** Answers in the user's place that pages of an origin may ask servers of this machine. */
  allowLocalNetwork(origin: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Chromium without a window and with a profile of its own.
 *
 * @param hosts Names that lead to an address, as Chromium's `--host-resolver-rules` has them, `MAP foreign.example 127.0.0.1`.
 * @throws {Error} with the command that installs it when it is not there.
 */
export function startBrowser(hosts: readonly string[]): Browser {
  if (spawnSync("chromium", ["--version"]).status !== 0) {
    throw new Error("Chromium is missing. Run: sh test/interop/install_browser.sh");
  }
  const profile = temporaryFolder("chromium");
  // The tests may run as root, for whom there is no sandbox; they open no pages but their own.
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update"];
  const child = spawn("chromium", [
    ...flags,
    ...quiet,
    `--user-data-dir=${join(profile, "profile")}`,
    `--host-resolver-rules=${hosts.join(",")}`,
    "--remote-debugging-pipe",
    "about:blank",
  ], { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] });
  const killed = () => child.kill("SIGKILL");
  process.once("exit", killed);
  let errors = "";
  child.stderr!.setEncoding("utf8").on(
    "data",
    (text: string) => errors = (errors + text).slice(-ERRORS_KEPT),
  );
  const exit = once(child, "exit");
  const protocol = speak(child.stdio[3] as Writable, child.stdio[4] as Readable);
  void exit.then(() => protocol.end(`Chromium has ended: ${errors.trim()}`), () => {});

  return {
    async open(url, { isMadeUp = false } = {}) {
      const { targetId } = await protocol.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await protocol.send("Target.attachToTarget", { targetId, flatten: true });
      const send = (method: string, params: object = {}) => protocol.send(method, params, sessionId);
      // Of a request that the page may have given up meanwhile.
      const sendUnlessGone = async (method: string, params: Readonly<Record<string, unknown>>) => {
        await send(method, params).catch(() => {});
      };
      if (isMadeUp) {
        protocol.on("Fetch.requestPaused", sessionId, ({ requestId }) => {
          const body = btoa(EMPTY_PAGE);
          const responseHeaders = [{ name: "content-type", value: "text/html" }];
          void sendUnlessGone("Fetch.fulfillRequest", {
            requestId,
            responseCode: 200,
            responseHeaders,
            body,
          });
        });
        await send("Fetch.enable", { patterns: [{ urlPattern: url }] });
      }
      await send("Page.enable");
      // Each page is drawn as if it were in front, also when another one has been opened.
      await send("Emulation.setFocusEmulationEnabled", { enabled: true });
      const errors: string[] = [];
      protocol.on("Runtime.exceptionThrown", sessionId, ({ exceptionDetails: { text, exception } }) => {
        errors.push(exception?.description ?? text);
      });
      protocol.on("Runtime.consoleAPICalled", sessionId, ({ type, args }) => {
        if (type === "error") errors.push(args.map(({ value }: Members) => String(value)).join(" "));
      });
      protocol.on("Log.entryAdded", sessionId, ({ entry: { level, text, url } }) => {
        if (level === "error") errors.push(`${text} ${url ?? ""}`.trim());
      });
      await send("Runtime.enable");
      await send("Log.enable");
      await send("Page.setLifecycleEventsEnabled", { enabled: true });
      const visit = async (url: string) => {
        // The document that was there may be loaded only now: the new one has another loader.
        const loaders = new Set<string>();
        const loaded = Promise.withResolvers<void>();
        let wanted = "";
        protocol.on("Page.lifecycleEvent", sessionId, ({ name, loaderId }) => {
          if (name === "load") loaders.add(loaderId);
          if (loaders.has(wanted)) loaded.resolve();
        });
        const { errorText, loaderId } = await send("Page.navigate", { url });
        if (errorText !== undefined) throw new Error(`Chromium cannot open ${url}: ${errorText}`);
        wanted = loaderId;
        if (loaders.has(wanted)) loaded.resolve();
        await inTime(loaded, `Chromium does not load ${url} in time`);
      };
      await visit(url);
      const evaluate = async (expression: string) => {
        const how = { expression, awaitPromise: true, returnByValue: true };
        const { result, exceptionDetails } = await send("Runtime.evaluate", how);
        if (exceptionDetails !== undefined) {
          throw new Error(
            `In the page: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`,
          );
        }
        return result.value;
      };
      return {
        visit,
        run: (call, ...args) => evaluate(`(${call})(...${JSON.stringify(args)})`),
        runScript: async (script) => void await evaluate(`${script};undefined`),
        errors: () => errors,
        async emulate({ width, height, scheme }) {
          const screen = { width, height, deviceScaleFactor: 1, mobile: false };
          await send("Emulation.setDeviceMetricsOverride", screen);
          const features = [{ name: "prefers-color-scheme", value: scheme }];
          await send("Emulation.setEmulatedMedia", { features });
        },
        async offline(offline) {
          await send("Network.enable");
          const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
          await send("Network.emulateNetworkConditions", conditions);
          // The page hears of it a moment later.
          await evaluate(`(${hearsOfNetwork})(${!offline})`);
        },
        async intercept(urlPattern, answer) {
          const held: string[] = [];
          protocol.on("Fetch.requestPaused", sessionId, ({ requestId }) => {
            if (answer === undefined) return void held.push(requestId);
            const responseHeaders = [{ name: "content-type", value: "application/json" }];
            const body = Buffer.from(JSON.stringify(answer.body)).toString("base64");
            void sendUnlessGone("Fetch.fulfillRequest", {
              requestId,
              responseCode: answer.status,
              responseHeaders,
              body,
            });
          });
          await send("Fetch.enable", { patterns: [{ urlPattern }] });
          return async () => {
            await Promise.all(
              held.map((requestId) => sendUnlessGone("Fetch.continueRequest", { requestId })),
            );
            await send("Fetch.disable");
          };
        },
        async press(key) {
          await send("Input.dispatchKeyEvent", { type: "keyDown", ...KEYS[key] });
          await send("Input.dispatchKeyEvent", { type: "keyUp", ...KEYS[key] });
        },
        async picture() {
          const { data } = await send("Page.captureScreenshot", { format: "webp", quality: 90 });
          return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
        },
      };
    },
    async allowLocalNetwork(origin) {
      const grant = (permission: string) =>
        protocol.send("Browser.grantPermissions", { origin, permissions: [permission] });
      // The first is the name that came later.
      await grant("loopbackNetwork").catch(() => grant("localNetworkAccess"));
    },
    async stop() {
      const timer = setTimeout(killed, STOP_LIMIT_MS);
      await protocol.send("Browser.close").catch(killed);
      await exit;
      clearTimeout(timer);
      process.removeListener("exit", killed);
      removeFolder(profile);
    },
  };
}

// deno-lint-ignore no-explicit-any -- members depend on the message
type Members = any;

interface Protocol {
  send(method: string, params?: object, sessionId?: string): Promise<Members>;
  /** Hears of what happens in a page. */
  on(method: string, sessionId: string, listener: (params: Members) => void): void;
  /** Rejects all that waits and will be sent. */
  end(reason: string): void;
}

/** Runs in a page: waits until it knows whether there is a network. */
async function hearsOfNetwork(isThere: boolean): Promise<void> {
  while (navigator.onLine !== isThere) await new Promise((resume) => setTimeout(resume));
}

/** Messages are JSON, an id relates an answer to its question. */
function speak(to: Writable, from: Readable): Protocol {
  const waiting = new Map<number, PromiseWithResolvers<Members>>();
  const listeners = new Map<string, (params: Members) => void>();
  let count = 0, text = "", ended: string | undefined;
  const hear = ({ id, result, error, method, sessionId, params }: Members) => {
    if (id === undefined) return listeners.get(`${sessionId} ${method}`)?.(params);
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(`Chromium refuses: ${error.message}`));
  };
  from.setEncoding("utf8").on("data", (more: string) => {
    const messages = (text + more).split(END);
    text = messages.pop()!;
    for (const message of messages) hear(JSON.parse(message));
  });
  to.on("error", () => {});
  return {
    async send(method, params = {}, sessionId) {
      if (ended !== undefined) throw new Error(ended);
      const id = ++count;
      const answer = Promise.withResolvers<Members>();
      waiting.set(id, answer);
      to.write(JSON.stringify({ id, method, params, sessionId }) + END);
      const late = `Chromium does not answer ${method} in time`;
      return await inTime(answer, late).finally(() => waiting.delete(id));
    },
    on: (method, sessionId, listener) => void listeners.set(`${sessionId} ${method}`, listener),
    end(reason) {
      ended = reason;
      for (const answer of waiting.values()) answer.reject(new Error(reason));
    },
  };
}

/** What is promised, unless it takes longer than {@link PATIENCE_MS}. */
async function inTime<T>(promised: PromiseWithResolvers<T>, late: string): Promise<T> {
  const timer = setTimeout(() => promised.reject(new Error(late)), PATIENCE_MS);
  return await promised.promise.finally(() => clearTimeout(timer));
}
