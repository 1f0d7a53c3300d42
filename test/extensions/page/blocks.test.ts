/** Texts of strangers in the page: the time and the size that each may take. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StartedWorker, WorkerCall } from "../../../extensions/page/browser/block_worker.ts";
import { BlockWorker } from "../../../extensions/page/browser/block_worker.ts";
import { countLines, shownLine, textParts } from "../../../extensions/page/browser/plain_text.ts";
import { scope } from "../../../extensions/page/browser/worker/scope.ts";
import { highlightLines } from "../../../extensions/page/browser/worker/highlight.ts";
import { renderMarkdown } from "../../../extensions/page/browser/worker/markdown.ts";
import rust from "highlight.js/lib/languages/rust";
import javascript from "highlight.js/lib/languages/javascript";

/** Time for a call, and ticks of which it consists. */
const CALL_LIMIT_MS = 200, MAX_ENDED_CALLS = 25;

/** A clock that ticks when a test says so. */
function createClock() {
  const ticking = new Map<number, { readonly tick: () => void; readonly everyMs: number; ms: number }>();
  let count = 0;
  return {
    setInterval: ((tick: () => void, everyMs: number) => {
      ticking.set(++count, { tick, everyMs, ms: 0 });
      return count;
    }) as unknown as typeof setInterval,
    clearInterval: ((id: number) => void ticking.delete(id)) as unknown as typeof clearInterval,
    pass(ms: number) {
      for (const timer of [...ticking.values()]) {
        for (timer.ms += ms; timer.ms >= timer.everyMs; timer.ms -= timer.everyMs) timer.tick();
      }
    },
    get isTicking() {
      return ticking.size > 0;
    },
  };
}

/** Workers that are ready at once, and answer a call when a test says so; "busy" never. */
function createWorkers() {
  const started: { readonly parts: readonly string[]; readonly calls: WorkerCall[]; isEnded: boolean }[] = [];
  const clock = createClock();
  const worker = new BlockWorker((parts) => {
    const state = { parts, calls: [] as WorkerCall[], isEnded: false };
    started.push(state);
    const made: StartedWorker = {
      onmessage: null,
      onerror: null,
      postMessage(call: WorkerCall) {
        state.calls.push(call);
        if (call[0] === "busy") return;
        queueMicrotask(() => answer(made, call[0] === "none" ? undefined : call));
      },
      terminate: () => void (state.isEnded = true),
    };
    queueMicrotask(() => parts.includes("broken") ? fail(made) : answer(made, "ready"));
    return made;
  }, clock);
  return { worker, started, clock };
}

function answer(worker: StartedWorker, data: unknown): void {
  worker.onmessage?.call(worker as Worker, { data } as MessageEvent);
}

function fail(worker: StartedWorker): void {
  worker.onerror?.call(worker as Worker, {} as ErrorEvent);
}

const always = () => true;

/** Lets promises go on that wait for nothing else. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

describe("BlockWorker", () => {
  it("starts one worker for calls that need the same parts, and adds parts that are missing", async () => {
    const { worker, started, clock } = createWorkers();
    assert.deepEqual(await worker.run(["a"], ["one"], always), { value: ["one"] });
    assert.deepEqual(await worker.run(["a"], ["none"], always), { value: undefined });
    assert.deepEqual(await worker.run(["b"], ["two", 2], always), { value: ["two", 2] });
    assert.deepEqual(await worker.run(["a"], ["three"], always), { value: ["three"] });
    assert.deepEqual(started.map(({ parts, isEnded }) => [parts, isEnded]), [
      [["a"], true],
      [["a", "b"], false],
    ]);
    assert.ok(!clock.isTicking);
  });

  it(`ends a worker after ${CALL_LIMIT_MS} ms of a call, and goes on with a new one`, async () => {
    const { worker, started, clock } = createWorkers();
    await worker.run(["a", "b"], ["one"], always);
    const busy = worker.run(["a"], ["busy"], always);
    const next = worker.run(["a"], ["two"], always);
    await settle();
    clock.pass(CALL_LIMIT_MS - 1);
    await settle();
    assert.deepEqual(started.map(({ isEnded }) => isEnded), [false]);
    assert.deepEqual(started[0]!.calls.map(([name]) => name), ["one", "busy"]);
    clock.pass(1);
    assert.deepEqual(await busy, { value: undefined });
    assert.deepEqual(await next, { value: ["two"] });
    assert.deepEqual(started.map(({ parts, isEnded }) => [parts, isEnded]), [
      [["a", "b"], true],
      [["a"], false],
    ]);
  });

  it("skips calls whose result is not needed any more", async () => {
    const { worker, started } = createWorkers();
    let isWanted = true;
    const first = worker.run(["a"], ["one"], always);
    const second = worker.run(["a"], ["two"], () => isWanted);
    isWanted = false;
    await first;
    assert.equal(await second, undefined);
    assert.deepEqual(started[0]!.calls, [["one"]]);
  });

  it(`makes no more calls in a view after ${MAX_ENDED_CALLS} that have been ended`, async () => {
    const { worker, started, clock } = createWorkers();
    for (let i = 0; i < MAX_ENDED_CALLS; i++) {
      const busy = worker.run(["a"], ["busy"], always);
      await settle();
      clock.pass(CALL_LIMIT_MS);
      assert.deepEqual(await busy, { value: undefined });
    }
    assert.equal(await worker.run(["a"], ["one"], always), undefined);
    assert.equal(started.length, MAX_ENDED_CALLS);
    worker.beginView();
    assert.deepEqual(await worker.run(["a"], ["one"], always), { value: ["one"] });
  });

  it("calls nothing where the browser starts no worker, and goes on after an error of one", async () => {
    const { worker, started } = createWorkers();
    assert.equal(await worker.run(["broken"], ["one"], always), undefined);
    assert.ok(started[0]!.isEnded);
    const throwing = new BlockWorker(() => {
      throw new TypeError("There is no worker");
    });
    await assert.rejects(throwing.run(["a"], ["one"], always), TypeError);
    await assert.rejects(throwing.run(["a"], ["one"], always), TypeError);
  });
});

describe("renderMarkdown", () => {
  it("renames elements that parsers open again, and removes unknown ones", () => {
    assert.equal(
      renderMarkdown("*a* [b](c) <B title='<i>'>d</B> <foo x=1>e</foo><br/>\n"),
      "<p><x-em>a</x-em> <x-a href=\"c\">b</x-a> <x-b title='<i>'>d</x-b> <!---->e<!----><br/></p>\n",
    );
    assert.equal(
      renderMarkdown("<details open>\n<summary>a</summary>\n\nb\n</details>")!.includes("<details"),
      false,
    );
    // DOMPurify removes these with what is in them.
    assert.equal(renderMarkdown("<script>a</script>\n"), "<script>a</script>\n");
  });

  it("leaves no element under a name that parsers open again", () => {
    const names = "a b big code em font i nobr s small strike strong tt u".split(" ");
    const written = names.flatMap((name) => [
      `<${name}>`,
      `<${name.toUpperCase()} x>`,
      `<${name}/>`,
      `</${name}>`,
      `<${name}\f>`,
      `<p title=">"><${name}>`,
      `<!-- --><${name}>`,
      `<p>\n<<foo>${name}>`,
    ]);
    for (const text of written) {
      const html = renderMarkdown(`x ${text} y`)!;
      assert.doesNotMatch(html, new RegExp(`</?(?:${names.join("|")})[\\s/>]`, "i"), text);
    }
  });

  it("gives up beyond its limits", () => {
    const inside = { elements: "<hr>\n", lines: "\n", length: "&", tag: "a " };
    assert.ok(renderMarkdown(inside.elements.repeat(5900)) !== undefined);
    assert.equal(renderMarkdown(inside.elements.repeat(6100)), undefined);
    assert.ok(renderMarkdown(`\`\`\`\n${inside.lines.repeat(9900)}x\n\`\`\``) !== undefined);
    assert.equal(renderMarkdown(`\`\`\`\n${inside.lines.repeat(10_100)}x\n\`\`\``), undefined);
    assert.ok(renderMarkdown(inside.length.repeat(100_000)) !== undefined);
    assert.equal(renderMarkdown(inside.length.repeat(120_000)), undefined);
    assert.ok(renderMarkdown(`<p ${inside.tag.repeat(4000)}>`) !== undefined);
    assert.equal(renderMarkdown(`<p ${inside.tag.repeat(4100)}>`), undefined);
  });
});

describe("highlightLines", () => {
  scope.languages["rust"] = rust;
  scope.languages["javascript"] = javascript;

  it("makes tokens of a text, line by line, and loses no text", () => {
    const text = "fn main() {\n  // a <b>\n}\n";
    const lines = highlightLines(text, "rust")!;
    assert.deepEqual(lines[0]!.slice(0, 2), [{ text: "fn", kind: "keyword" }, { text: " ", kind: "" }]);
    assert.equal(lines.map((tokens) => tokens.map(({ text }) => text).join("")).join("\n"), text);
  });

  it("gives up where there are too many tokens", () => {
    assert.equal(highlightLines("1;\n".repeat(8000), "rust"), undefined);
    assert.ok(highlightLines("1;\n".repeat(4000), "rust") !== undefined);
  });
});

describe("a text as it is", () => {
  it("is drawn in parts of whole lines", () => {
    const text = Array.from({ length: 1201 }, (_, i) => `line ${i}`).join("\n");
    const parts = textParts(text);
    assert.equal(parts.length, 3);
    assert.equal(parts.join(""), `${text}\n`);
    assert.deepEqual(textParts(""), ["\n"]);
    assert.deepEqual(textParts("a\n"), ["a\n\n"]);
  });

  it("is cut where it is too long", () => {
    assert.equal(shownLine("a".repeat(131_072)).length, 131_072);
    assert.equal(shownLine("a".repeat(131_073)).length, 131_073);
    assert.ok(shownLine("a".repeat(131_073)).endsWith("…"));
    const parts = textParts("\n".repeat(16 * 1024 * 1024));
    assert.equal(parts.length, 501);
    assert.equal(parts.at(-1), "…");
    assert.equal(textParts("a".repeat(20_000) + "\n" + "b".repeat(20_000)).length, 2);
  });

  it("has its lines counted as people do", () => {
    for (const [text, lines] of [["", 0], ["a", 1], ["a\n", 1], ["a\nb", 2], ["\n\n", 2]] as const) {
      assert.equal(countLines(text), lines, JSON.stringify(text));
    }
  });
});
