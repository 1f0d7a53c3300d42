/**
 * Issues and patches that are written in the page, in a real Chromium: beside the home on each runtime, and by way of
 * a replica. The real `rad` shows what was written.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized, openPageLink } from "../../adapters/cli/sign_in.ts";
import { createHomeApi, deflate, fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { parseNid } from "../../src/ids/nid.ts";
import { inRepository } from "../../extensions/page/browser/places.ts";
import { createFolderBucket } from "../../extensions/replicas/bucket/folder.ts";
import { createTestPublisher } from "../extensions/replicas/publisher/test_publisher.ts";
import { ALL_WANTED } from "../support/cases.ts";
import {
  openRadHome,
  RUNTIMES,
  type Service,
  startBucketService,
  startService,
} from "../support/programs.ts";
import type { Page } from "./browser_process.ts";
import { startPageTests } from "./page_browser.ts";
import { clickIn, goTo, setHash, submit, type, waitFor } from "./page_steps.ts";
import { copyDemoHome } from "../support/demo_home.ts";

/** Where the page comes from. What it sends is written on each runtime by `cobs_written.test.ts` and `page.test.ts`. */
const PLACES = [...(ALL_WANTED ? RUNTIMES : RUNTIMES.slice(0, 1)), "a replica"] as const;
const ENVIRONMENT = { XYLEM_TOKEN_KEY: "a key of the tests of thirty-two characters" };
/** A picture of one pixel. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const { folder, open } = startPageTests("page-writing");

for (const place of PLACES) {
  describe(`writing in the page of ${place}`, () => {
    let origin: Service, service: Service, page: Page, rid: string, nid: string;
    const home = join(folder, place);
    const rad = (...args: string[]) =>
      openRadHome("newest", home, "demo").rad(folder, ...args, "--repo", rid);

    before(async () => {
      await copyDemoHome(home);
      const isReplica = place === "a replica";
      origin = await startService(
        isReplica ? "node" : place,
        home,
        isReplica ? ["--behind-proxy"] : [],
        ENVIRONMENT,
      );
      service = isReplica ? await startReplica() : origin;
      nid = (await ask("/node")).id;
      rid = (await ask("/projects")).find(({ name }: { name: string }) => name === "xylem-demo").id;
      page = await open(`${service.url}/`);
      await page.emulate({ width: 1100, height: 800, scheme: "light" });
      const signer = await openSigner({ home, nodeId: parseNid(nid), fileSystem })();
      const link = new URL(await openPageLink(service.url, signer) ?? assert.fail("no link"));
      await page.run(setHash, link.hash);
      await page.run(waitFor, ".account", "Signed in as demo");
    });
    after(async () => {
      if (service !== origin) await service?.stop();
      await origin?.stop();
    });

    /** A replica of what the home has now; nothing is published later. */
    async function startReplica(): Promise<Service> {
      const published = await createHomeApi({ home });
      const bucket = join(folder, "bucket");
      mkdirSync(bucket);
      const publisher = createTestPublisher(published.storage, createFolderBucket(bucket, { fileSystem }), {
        deflate,
        node: published,
      });
      assert.equal((await publisher.publishAll()).failed, 0);
      await published.close();
      return await startBucketService("node", bucket, ["--origin", origin.url], ENVIRONMENT);
    }

    // deno-lint-ignore no-explicit-any -- members depend on the path
    const ask = async (path: string): Promise<any> =>
      await (await fetch(`${origin.url}/api/v1${path}`)).json();
    const go = (hash: string, heading: string) => page.run(goTo, hash, heading);
    const named = async (kind: string, title: string): Promise<string> =>
      (await ask(`/projects/${rid}/${kind}`)).find((one: { title: string }) => one.title === title).id;

    it("opens an issue, comments with a picture, reacts, labels, assigns and closes: rad shows it", async () => {
      const title = `Written in the page of ${place}`;
      await go(inRepository(rid, ["issues", "new"]), "New issue");
      await page.run(type, "[name=title]", title);
      await page.run(type, "[name=labels]", "page, by hand");
      await page.run(type, "[name=text]", "It **works**.");
      await page.run(submit, "main form.editor");
      await page.run(waitFor, "h1", title);
      await page.run(waitFor, ".markdown strong", "works");
      await page.run(attach, "dot one.png", PICTURE);
      await page.run(waitFor, "form.editor .chip", "dot one.png");
      await page.run(type, "textarea[name=text]", "And a comment: ![](<dot one.png>)");
      await page.run(submit, "main form.editor");
      await page.run(waitFor, ".thread .markdown:not([hidden])", "And a comment");
      await page.run(waitFor, ".thread .markdown img[src^='data:image/png']", "");
      await page.run(clickIn, ".thread [aria-label=React]");
      await page.run(clickIn, ".thread [aria-label='React with 🎉']");
      await page.run(waitFor, ".thread .reaction[aria-pressed=true]", "🎉 1");
      await page.run(clickIn, "[aria-label='Edit the assignees: names or node ids, separated by commas']");
      await page.run(type, ".side .line-editor input", "bob");
      await page.run(submit, ".side .line-editor");
      await page.run(waitFor, ".side .person", "bob");
      await page.run(clickIn, "[aria-label='Edit the title']");
      await page.run(type, ".object-head .line-editor input", `${title}, edited`);
      await page.run(submit, ".object-head .line-editor");
      await page.run(waitFor, "h1", `${title}, edited`);
      await page.run(clickIn, ".next button");
      await page.run(waitFor, ".object-head .badge", "closed: solved");
      const [{ id, state, labels, discussion, assignees }] = await ask(
        `/projects/${rid}/issues?state=closed`,
      );
      assert.deepEqual([state, labels], [{ status: "closed", reason: "solved" }, ["by hand", "page"]]);
      const [{ body }, second] = discussion;
      assert.equal(body, "It **works**.");
      assert.deepEqual([second.embeds.length, second.reactions.length, assignees.length], [1, 1, 1]);
      const shown = rad("issue", "show", id);
      for (
        const text of [`${title}, edited`, "It **works**.", "And a comment", "closed (solved)", "by hand"]
      ) {
        assert.ok(shown.includes(text), `${text} in\n${shown}`);
      }
      assert.deepEqual(page.errors(), []);
    });

    it("shows own changes after a reload", async () => {
      const title = `Written in the page of ${place}, edited`;
      await page.visit("about:blank");
      await page.visit(`${service.url}/${inRepository(rid, ["issues"], { state: "closed" })}`);
      await page.run(waitFor, ".rows .subject", title);
      await page.run(waitFor, ".account", "Signed in as demo");
    });

    it("opens a patch of a branch, reviews it and comments at a line: rad shows it", async () => {
      const title = `Birds, proposed in the page of ${place}`;
      await go(inRepository(rid, ["patches", "new"]), "New patch");
      await page.run(waitFor, "option", "feature/birds of demo");
      await page.run(choose, "[name=oid]", "feature/birds of demo");
      await page.run(type, "[name=title]", title);
      await page.run(type, "[name=text]", "They *sing*.");
      await page.run(submit, "main form.editor");
      await page.run(waitFor, "h1", title);
      await page.run(waitFor, ".markdown em", "sing");
      await page.run(type, "details.list textarea", "Reviewed in the page.");
      await page.run(submit, "details.list form");
      await page.run(waitFor, ".review.accept", "Reviewed in the page.");
      const id = await named("patches", title);
      await go(inRepository(rid, ["patches", id], { tab: "changes" }), title);
      await page.run(type, "form.tools [name=line]", "1");
      await page.run(submit, "form.tools:has([name=line])");
      await page.run(type, ".notes textarea", "At the first line.");
      await page.run(submit, ".notes form.editor");
      await page.run(waitFor, ".notes .note-box", "At the first line.");
      const shown = rad("patch", "show", id);
      for (const text of [title, "They *sing*.", "✓ accepted"]) {
        assert.ok(shown.includes(text), `${text} in\n${shown}`);
      }
      const { revisions: [{ discussions, reviews }] } = await ask(`/projects/${rid}/patches/${id}`);
      assert.equal(reviews[0].summary, "Reviewed in the page.");
      assert.equal(discussions[0].location.new.range.start, 1);
      assert.match(rad("patch", "show", id, "--verbose"), /At the first line/);
      assert.deepEqual(page.errors(), []);
    });

    it("explains a conflict next to the form, with what others have done meanwhile", async () => {
      const id = await named("patches", "Count the leaves");
      await go(inRepository(rid, ["patches", id]), "Count the leaves");
      await page.run(waitFor, "details.list textarea", "");
      // Elsewhere, by the same node.
      const token = await openAuthorized(
        origin.url,
        await openSigner({ home, nodeId: parseNid(nid), fileSystem })(),
      );
      const response = await fetch(`${origin.url}/api/v1/projects/${rid}/patches/${id}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ type: "review", revision: id, verdict: "accept", summary: "Elsewhere." }),
      });
      assert.equal(response.status, 200);
      await page.run(type, "details.list textarea", "Too late.");
      await page.run(submit, "details.list form");
      const words = "The node has reviewed this revision already. It has changed meanwhile";
      await page.run(waitFor, "details.list form .failure[role=alert]", words);
      // By an event, or because the page has asked again.
      await page.run(waitFor, ".review.accept", "Elsewhere.");
      // What was written is not lost.
      assert.deepEqual(await page.run(valueOf, "details.list textarea"), "Too late.");
    });

    it("shows next to the form what is wrong", async () => {
      await go(inRepository(rid, ["issues", "new"]), "New issue");
      await page.run(type, "[name=title]", " ");
      await page.run(type, "[name=text]", "No title.");
      await page.run(submit, "main form.editor");
      await page.run(waitFor, "form.editor .failure", "The title is empty.");
      await page.run(attach, "large.png", PICTURE, 3 * 1024 * 1024);
      await page.run(waitFor, "form.editor .failure", "The files are larger than 2 MiB together.");
    });

    it("keeps what is shown and written while the service is away, and says so", async () => {
      await go(inRepository(rid, ["issues", "new"]), "New issue");
      await page.run(type, "[name=title]", "A draft");
      await page.run(type, "[name=text]", "Half a sentence");
      await page.offline(true);
      await page.run(submit, "main form.editor");
      await page.run(waitFor, "form.editor .failure", "This browser is offline");
      assert.equal(await page.run(valueOf, "[name=text]"), "Half a sentence");
      const found = await named("issues", "Trees are never watered");
      await page.run(setHash, inRepository(rid, ["issues", found]));
      await page.run(waitFor, ".failure", "This browser is offline");
      await page.offline(false);
      await page.run(waitFor, "h1", "Trees are never watered");
      await page.run(waitFor, "main:not(:has(.failure))", "");
    });
  });
}

// What follows runs in pages: each function stands for itself.

/** Puts a file into the first field for files; zeros make it longer. */
function attach(name: string, base64: string, zeros: number = 0): Promise<void> {
  const start = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([start, new Uint8Array(zeros)], name, { type: "image/png" }));
  const input = document.querySelector<HTMLInputElement>("main form.editor input[type=file]")!;
  input.files = data.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  return Promise.resolve();
}

/** Chooses the option whose text begins like this. */
function choose(selector: string, text: string): Promise<void> {
  const field = document.querySelector<HTMLSelectElement>(selector)!;
  field.value = [...field.options].find((option) => option.text.startsWith(text))!.value;
  return Promise.resolve();
}

function valueOf(selector: string): Promise<string> {
  return Promise.resolve(document.querySelector<HTMLTextAreaElement>(selector)!.value);
}
