/** Asks the demo home for an example of each route. */
import assert from "node:assert/strict";
import { createHomeApi, fileSystem, openSigner } from "../../adapters/node/mod.ts";
import type { Example } from "../../build/contract/examples.ts";
import type { NodeId } from "../../src/ids/nid.ts";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import { signInMessage, Wallet } from "../session/wallet.ts";
import { type Answering, checkAnswer } from "../support/contract.ts";

const OWNER = { transport: "tcp", address: "127.0.0.1" } as const;
const ORIGIN = "http://localhost:8080";
/** Stands for the folder of the home, which is another one each time. */
const SHOWN_HOME = "/home/me/.cache/xylem/demo-1";
/** A commit that moves files, and its parent. */
const [MOVED, BEFORE] = [
  "fafec6ca73acb30acb576500b21bf5fd032b989e",
  "4d6098be100e8c2dea3ac4373b1aee821ac7ba33",
];

/** A request, as an example begins. */
interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly token?: string;
}

/** A demo home that is asked, and all that it has answered so far. */
class Recorder {
  readonly examples: Record<string, Example> = {};
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #home: string;
  readonly #service: Answering;

  constructor(fetch: (request: Request) => Promise<Response>, home: string, service: Answering) {
    this.#fetch = fetch;
    this.#home = home;
    this.#service = service;
  }

  /** Asks, and takes the answer as the example of the route of that name. */
  // deno-lint-ignore no-explicit-any -- the caller knows what is answered
  async ask(name: string, path: string, { method = "GET", body, token }: Asked = {}): Promise<any> {
    const request = new Request(ORIGIN + path, {
      method,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await this.#fetch(request);
    const text = (await response.text()).replaceAll(this.#home, SHOWN_HOME);
    assert.ok(response.ok, `${name}: ${response.status} ${text}`);
    checkAnswer(request, response, text, this.#service);
    this.examples[name] = { ...(body !== undefined && { request: JSON.stringify(body) }), answer: text };
    return response.headers.get("content-type") === "application/json" ? JSON.parse(text) : text;
  }
}

/** An example of each route, from a demo home; the home is changed. */
export async function recordExamples(home: string): Promise<Readonly<Record<string, Example>>> {
  return {
    ...await recordToday(home),
    ...await recordBoth(home),
    ...await recordWithKey(home),
    ...await recordWithWallet(home),
  };
}

async function recordWithKey(home: string): Promise<Readonly<Record<string, Example>>> {
  const made = await createHomeApi({ home, api: "v1" });
  const { nodeId } = made.profile;
  const recorder = new Recorder((request) => made.api.fetch(request, OWNER), home, { api: "v1" });
  const ask = recorder.ask.bind(recorder);
  const [rid] = await made.profile.pinned();
  const at = `/api/v1/projects/${rid}`;

  await ask("showApi", "/api");
  await ask("showVersion", "/api/v1");
  await ask("showStats", "/api/v1/stats");
  await ask("showService", "/");
  await ask("showApiWithSlash", "/api/");
  await ask("showVersionWithSlash", "/api/v1/");

  await ask("listProjects", "/api/v1/projects?show=pinned");
  const { head } = await ask("showProject", at);
  await ask("search", "/api/v1/search?q=maple&perPage=1");
  await ask("listProjectsOfDelegate", `/api/v1/delegates/did:key:${nodeId}/projects`);
  await ask("listCommits", `${at}/commits?perPage=1`);
  await ask("showCommit", `${at}/commits/${MOVED}`);
  await ask("compareCommits", `${at}/diff/${BEFORE}/${MOVED}`);
  await ask("showActivity", `${at}/activity`);
  await ask("showRoot", `${at}/tree/${head}/`);
  await ask("showTree", `${at}/tree/${head}/docs`);
  await ask("showBlob", `${at}/blob/${head}/src/seasons.ts`);
  await ask("showReadme", `${at}/readme/${head}`);
  await ask("listRemotes", `${at}/remotes`);
  const { heads } = await ask("showRemote", `${at}/remotes/${nodeId}`);
  await ask("showRawFileOfHead", `/raw/${rid}/head/docs/guide.md`);
  await ask("showRawFile", `/raw/${rid}/${MOVED}/docs/plan.txt`);
  await ask("showRawBlob", `/raw/${rid}/blobs/7ee616d6acb37081f3fc27ae436c83764c59ad17?mime=text/plain`);

  await ask("listGitRefs", `/${rid}/info/refs`);
  await ask("showGitHead", `/${rid}/HEAD`);
  await ask("listPeerRefs", `/${rid}/${nodeId}/info/refs`);
  await ask("showPeerHead", `/${rid}/${nodeId}/HEAD`);

  const session = await ask("openSession", "/api/v1/sessions", { method: "POST" });
  const token: string = session.sessionId;
  const proof = await proofOf(home, nodeId, token);
  await ask("authorizeSession", `/api/v1/sessions/${token}`, { method: "PUT", body: proof });
  await ask("showSession", `/api/v1/sessions/${token}`);

  await ask("listIssues", `${at}/issues?state=closed&perPage=1`);
  const issue = await ask("openIssue", `${at}/issues`, {
    method: "POST",
    token,
    body: {
      title: "Water the maple",
      description: "Its leaves hang.",
      labels: ["care"],
      assignees: [],
      embeds: [],
    },
  });
  await ask("changeIssue", `${at}/issues/${issue.id}`, {
    method: "PATCH",
    token,
    body: { type: "comment", body: "Twice a week.", replyTo: issue.id },
  });
  await ask("showIssue", `${at}/issues/${issue.id}`);

  const [merged] = await ask("listPatches", `${at}/patches?state=merged&perPage=1`);
  await ask("showPatch", `${at}/patches/${merged.id}`);
  const patch = await ask("openPatch", `${at}/patches`, {
    method: "POST",
    token,
    body: {
      title: "Let birds in",
      description: "They eat the aphids.",
      target: head,
      oid: heads["feature/birds"],
      labels: [],
    },
  });
  await ask("changePatch", `${at}/patches/${patch.id}`, {
    method: "PATCH",
    token,
    body: { type: "review", revision: patch.id, summary: "They sing, too.", verdict: "accept" },
  });

  await ask("showNode", "/api/v1/node");
  await ask("showAlias", `/api/v1/nodes/${nodeId}`);
  await ask("listInventory", `/api/v1/nodes/${nodeId}/inventory`);
  await ask("listPolicies", "/api/v1/node/policies/repos");
  const policy = `/api/v1/node/policies/repos/${rid}`;
  await ask("unseedRepository", policy, { method: "DELETE", token });
  await ask("seedRepository", `${policy}?scope=all`, { method: "PUT", token });
  await ask("showProfile", "/api/v1/profile");
  await ask("deleteSession", `/api/v1/sessions/${token}`, { method: "DELETE", token });
  await made.close();
  return recorder.examples;
}

/** Body that authorizes a session. */
async function proofOf(home: string, nodeId: NodeId, token: string): Promise<object> {
  const signer = await openSigner({ home, nodeId, fileSystem })();
  const signature = await signer.sign(new TextEncoder().encode(`${token}:${nodeId}`));
  return { sig: encodeMultibase(signature), pk: nodeId };
}

async function recordWithWallet(home: string): Promise<Readonly<Record<string, Example>>> {
  const wallet = new Wallet(7);
  const { address } = wallet;
  const wallets = { addresses: [address], domain: "localhost:8080" };
  const made = await createHomeApi({ home, api: "v1", wallets });
  const recorder = new Recorder((request) => made.api.fetch(request, OWNER), home, {
    wallets,
    api: "v1",
  });
  const { id, nonce } = await recorder.ask("openWalletSession", "/api/v1/sessions", { method: "POST" });
  const path = `/api/v1/sessions/${id}`;
  const message = signInMessage({ domain: "localhost:8080", uri: ORIGIN, address, nonce });
  const body = { message, signature: wallet.signHex(message) };
  await recorder.ask("authorizeWalletSession", path, { method: "PUT", body });
  await recorder.ask("showWalletSession", path);
  await made.close();
  return recorder.examples;
}

async function recordToday(home: string): Promise<Readonly<Record<string, Example>>> {
  const made = await createHomeApi({ home, api: "today" });
  const { nodeId } = made.profile;
  const recorder = new Recorder((request) => made.api.fetch(request, OWNER), home, { api: "today" });
  const ask = recorder.ask.bind(recorder);
  const [rid] = await made.profile.pinned();
  const at = `/api/v1/repos/${rid}`;
  await ask("showTodayApi", "/api");
  await ask("showTodayVersion", "/api/v1");
  await ask("showTodayService", "/");
  await ask("showTodayApiWithSlash", "/api/");
  await ask("showTodayVersionWithSlash", "/api/v1/");
  await ask("showInfo", "/api/v1/info");
  await ask("showAgentNode", "/api/v1/node");
  await ask("showOtherNode", `/api/v1/nodes/${nodeId}`);
  await ask("listTodayInventory", `/api/v1/nodes/${nodeId}/inventory`);
  await ask("showRepoStats", "/api/v1/stats");
  await ask("listTodayPolicies", "/api/v1/node/policies/repos");
  await ask("showPolicy", `/api/v1/node/policies/repos/${rid}`);
  await ask("listReposOfDelegate", `/api/v1/delegates/did:key:${nodeId}/repos`);
  await ask("listRepos", "/api/v1/repos");
  await ask("searchRepos", "/api/v1/repos/search?q=xylem");
  const repo = await ask("showRepo", at);
  const head = repo.payloads["xyz.radicle.project"].meta.head;
  await ask("listRepoCommits", `${at}/commits?perPage=2`);
  await ask("showRepoCommit", `${at}/commits/${MOVED}`);
  await ask("compareRepoCommits", `${at}/diff/${BEFORE}/${MOVED}`);
  await ask("showDiffStats", `${at}/diff/${BEFORE}/${MOVED}/stats`);
  await ask("showRepoActivity", `${at}/activity`);
  await ask("showRepoRoot", `${at}/tree/${head}/`);
  await ask("showRepoTree", `${at}/tree/${head}/docs`);
  await ask("showRepoBlob", `${at}/blob/${head}/src/seasons.ts`);
  await ask("showRepoReadme", `${at}/readme/${head}`);
  await ask("showTreeStats", `${at}/stats/tree/${head}`);
  await ask("countCommits", `${at}/stats/commits/${head}`);
  await ask("listRepoRemotes", `${at}/remotes`);
  await ask("showRepoRemote", `${at}/remotes/${nodeId}`);
  const [issue] = await ask("listRepoIssues", `${at}/issues?status=closed&perPage=1`);
  await ask("showRepoIssue", `${at}/issues/${issue.id}`);
  const [patch] = await ask("listRepoPatches", `${at}/patches?status=merged&perPage=1`);
  await ask("showRepoPatch", `${at}/patches/${patch.id}`);
  await ask("listJobs", `${at}/jobs/${head}`);
  await made.close();
  return recorder.examples;
}

async function recordBoth(home: string): Promise<Readonly<Record<string, Example>>> {
  const made = await createHomeApi({ home });
  const recorder = new Recorder((request) => made.api.fetch(request, OWNER), home, {});
  await recorder.ask("showVersionOfBoth", "/api/v1");
  await recorder.ask("showVersionOfBothWithSlash", "/api/v1/");
  await recorder.ask("showStatsOfBoth", "/api/v1/stats");
  await recorder.ask("showNodeOfBoth", "/api/v1/node");
  const { nodeId } = made.profile;
  await recorder.ask("showNodeByIdOfBoth", `/api/v1/nodes/${nodeId}`);

  const session = await recorder.ask("openSession", "/api/v1/sessions", { method: "POST" });
  const token: string = session.sessionId;
  const proof = await proofOf(home, nodeId, token);
  await recorder.ask("authorizeSession", `/api/v1/sessions/${token}`, { method: "PUT", body: proof });
  const [rid] = await made.profile.pinned();
  const at = `/api/v1/repos/${rid}`;
  const change = (name: string, method: "POST" | "PATCH", path: string, body: object) =>
    recorder.ask(name, at + path, { method, token, body });
  const { id: issue } = await change("openRepoIssue", "POST", "/issues", {
    title: "Prune the apple tree",
    description: "Before it buds.",
    labels: ["care"],
    assignees: [],
    embeds: [],
  });
  const labels = ["care", "trees"];
  await change("changeRepoIssue", "PATCH", `/issues/${issue}`, { type: "label", labels });
  const { id: patch } = await change("openRepoPatch", "POST", "/patches", {
    title: "Move the maple",
    description: "It wants shade.",
    target: BEFORE,
    oid: MOVED,
    labels: [],
  });
  const target = { branch: "refs/heads/main" };
  await change("changeRepoPatch", "PATCH", `/patches/${patch}`, {
    type: "edit",
    title: "Move the maple",
    target,
  });
  await made.close();
  return recorder.examples;
}
