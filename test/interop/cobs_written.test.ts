/**
 * Every action that can be sent over HTTP in version 1, there or below `/repos`: after each, `rad` shows the object and lists the entry, the newest `rad` and `radicle-httpd` 0.10.0 make
 * of it what we do, and git finds no fault with the repository.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { IssueAction } from "../../src/cob/issue/issue.ts";
import { isEarlyType, PatchAction } from "../../src/cob/patch/patch_action.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { signerOf } from "../support/keys.ts";
import {
  type Generation,
  GENERATIONS,
  openRadHome,
  type Runtime,
  type Service,
  startHttpd,
} from "../support/programs.ts";
import { HISTORIES, type History, type Ids } from "./action_steps.ts";
import { nodeIdOf, withoutOwnAlias } from "../support/own_alias.ts";
import { comparableCob } from "./httpd_cobs.ts";
import { createServedHomes } from "./served_homes.ts";
import {
  assertIntact,
  assertSameState,
  assertSigned,
  type Below,
  type Client,
  createContributorsProject,
  createWrittenProject,
  entriesInRad,
  type WrittenProject,
} from "./written_project.ts";

const { folder, serve, stopAfter } = createServedHomes("cobs-written");
/** The form of answers that radicle-httpd 0.10.0 has. */
const AS_HTTPD = ["--answers", "objects"];

/**
 * Each generation beside a runtime at least, and each runtime beside one: what is written is made of the request alone,
 * and how it is signed and stored does not depend on who reads it.
 */
const BESIDE: Readonly<Record<Generation, readonly Runtime[]>> = ALL_WANTED
  ? { "0.10": ["node", "bun"], newest: ["node", "bun", "deno"] }
  : { "0.10": ["node"], newest: ["bun", "deno"] };

/** Where changes are sent: once as by today's clients. */
function writesOf(generation: Generation, runtime: Runtime): Below {
  return generation === "newest" && runtime === "deno" ? "repos" : "projects";
}

/** Runs `rad` on the repository of a project. */
function runRad({ rad, rid }: WrittenProject, ...args: string[]): string {
  return rad.rad(dirname(rad.home), ...args, "--repo", rid);
}

/** The types of the actions that a schema knows. */
function typesOf(schema: unknown): string[] {
  const { options, entries } = schema as {
    options?: readonly unknown[];
    entries?: { type: { literal: string } };
  };
  return options?.flatMap(typesOf) ?? [entries!.type.literal];
}

describe("the histories", () => {
  const SCHEMAS = { issue: IssueAction, patch: PatchAction };
  for (const { kind, steps } of HISTORIES) {
    it(`do to ${kind === "issue" ? "an issue" : "a patch"} everything that can be done`, () => {
      const written = typesOf(SCHEMAS[kind]).filter((type) => isEarlyType(type as PatchAction["type"]));
      assert.deepEqual([...new Set(steps.map(({ type }) => type))].sort(), written.sort());
    });
  }
});

for (const generation of GENERATIONS) {
  for (const runtime of BESIDE[generation]) {
    describe(`objects that xylem on ${runtime} wrote together with rad ${generation}`, () => {
      let project: WrittenProject;
      let client: Client;
      let httpd: Service | undefined;
      before(async () => {
        project = createWrittenProject(generation, join(folder, `${generation}-${runtime}`));
        ({ client } = await serve(project, {
          runtime,
          args: AS_HTTPD,
          writes: writesOf(generation, runtime),
        }));
        if (generation !== "0.10") return;
        httpd = await startHttpd(project.rad.home);
        stopAfter(httpd);
      });

      /** Looks at the object with everybody's eyes. */
      const look = async ({ type, kind }: History, id: string): Promise<string> => {
        assertIntact(project);
        const path = `/${kind === "issue" ? "issues" : "patches"}/${id}`;
        if (httpd === undefined) await assertSameState(project, type, id);
        else {
          const answer = await fetch(`${httpd.url}/api/v1/projects/${project.rid}${path}`);
          const wanted = comparableCob(await answer.json());
          const ours = comparableCob(await client.read(path));
          assert.deepEqual(withoutOwnAlias(ours, wanted, await nodeIdOf(httpd.url)), wanted);
        }
        return runRad(project, kind, "show", id);
      };

      for (const history of HISTORIES) {
        const { type, kind, opening, steps } = history;
        it(`${kind}: each action is read by all`, async () => {
          const path = kind === "issue" ? "/issues" : "/patches";
          const [first, second] = project.commits;
          const { nodeId: node } = await signerOf(project.seed);
          const object = await client.send("POST", path, opening({ first, second }));
          const ids: Record<string, string> = { object, node, first, second };
          const entries = new Set([object]);
          await look(history, object);
          for (const { type: action, as, body, shows = "", hides } of steps) {
            const request = { type: action, ...body(ids as Ids) };
            const entry = await client.send("PATCH", `${path}/${object}`, request);
            if (as !== undefined) ids[as] = entry;
            entries.add(entry);
            const shown = await look(history, object);
            assert.deepEqual(entriesInRad(project, object, type), entries, action);
            assert.ok(shown.includes(shows), `${action}: "${shows}" is not in\n${shown}`);
            assert.ok(hides === undefined || !shown.includes(hides), `${action}: "${hides}" is in\n${shown}`);
          }
          assert.ok(runRad(project, kind, "list", "--all").includes(object.slice(0, 7)));
        });

        it(`${kind}: rad goes on with it, and we with what rad did`, async () => {
          const path = kind === "issue" ? "/issues" : "/patches";
          const [first, second] = project.commits;
          const id = await client.send("POST", path, opening({ first, second }));
          runRad(project, kind, "label", id, "--add", "theirs", "--no-announce");
          assert.deepEqual((await client.read(`${path}/${id}`)).labels, ["light", "theirs"]);
          await client.send("PATCH", `${path}/${id}`, { type: "label", labels: ["ours"] });
          assert.match(await look(history, id), /ours/);
        });
      }

      it("are read by the rad of the other generation, too", async () => {
        const place = join(folder, `${generation}-${runtime}-copy`);
        mkdirSync(place);
        cpSync(project.rad.home, join(place, "home"), {
          recursive: true,
          filter: (path) => !path.endsWith(".sock"),
        });
        const other = generation === "newest" ? "0.10" : "newest";
        const rad = openRadHome(other, join(place, "home"), "alice");
        if (other === "newest") {
          rad.rad(place, "cob", "migrate");
          // It leaves a redacted review in a row as it is, which the newest cannot read.
          rad.rad(place, "patch", "cache", "--repo", project.rid);
        }
        for (const { type, kind } of HISTORIES) {
          const objects = await client.read(`/${kind === "issue" ? "issues" : "patches"}?state=all`);
          assert.equal(objects.length, 2);
          for (const { id } of objects) {
            const copy = { ...project, rad };
            assert.deepEqual(entriesInRad(copy, id, type), entriesInRad(project, id, type));
            // The databases of later homes are not for earlier programs; their repositories are.
            if (other !== "newest") continue;
            await assertSameState(copy, type, id);
            assert.ok(rad.rad(place, kind, "show", id, "--repo", project.rid).includes(id.slice(0, 7)));
          }
        }
      });

      it("have signed references that the newest rad believes", () => assertSigned(project));
    });
  }

  describe(`objects of a contributor together with rad ${generation}`, () => {
    it("are shown by rad, which goes on with them", async () => {
      const founded = createWrittenProject(generation, join(folder, `${generation}-founder`));
      const project = createContributorsProject(
        generation,
        join(folder, `${generation}-contributor`),
        founded,
      );
      const { client: { send, read } } = await serve(project, { args: AS_HTTPD });
      const [first, second] = project.commits;
      const [title, description] = ["A small lamp", "It is dim."];
      const draft = { title, description, labels: [], assignees: [], embeds: [] };
      const issue = await send("POST", "/issues", draft);
      await send("PATCH", `/issues/${issue}`, { type: "edit", title: "A dim lamp" });
      assert.match(runRad(project, "issue", "show", issue), /A dim lamp/);
      runRad(project, "issue", "comment", issue, "--message", "Indeed", "--no-announce");
      assert.equal((await read(`/issues/${issue}`)).discussion[1].body, "Indeed");
      const body = { title, description, target: first, oid: second, labels: [] };
      const patch = await send("POST", "/patches", body);
      await send("PATCH", `/patches/${patch}`, { type: "review", revision: patch, verdict: "accept" });
      assert.match(runRad(project, "patch", "show", patch), /A small lamp/);
      await assert.rejects(() => send("POST", "/issues", { ...draft, labels: ["dim"] }), /403/);
    });
  });
}
