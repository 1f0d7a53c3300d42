/**
 * A program that reads, compares, signs in, changes an issue, and closes its API at once: `<home> <rid> <old commit> <new commit>`. It comes to its end
 * by itself. Prints the statuses of its answers, then the one after the end.
 */
import process from "node:process";
import type { Session } from "../../mod.ts";
import { adapter } from "./this_runtime.ts";

const [home = "", rid = "", old = "", now = ""] = process.argv.slice(2);
const session: Session = {
  id: "t",
  status: "authorized",
  issuedAtMs: Date.now(),
  expiresAtMs: Date.now() + 24 * 3_600_000,
  mayChange: true,
};
const { api, close } = await adapter.createHomeApi({
  home,
  sessionTable: {
    add: () => true,
    find: () => session,
    authorize: () => false,
    remove: () => false,
  },
});
const project = `/api/v1/projects/${rid}`;
const ask = async (path: string, init: RequestInit = {}): Promise<number> => {
  const response = await api.fetch(new Request(`http://localhost${path}`, init), { transport: "unix" });
  await response.arrayBuffer();
  return response.status;
};
const statuses = [
  await ask(project),
  await ask(`${project}/tree/${now}/`),
  await ask("/api/v1/sessions", { method: "POST" }),
  await ask(`${project}/issues`, {
    method: "POST",
    headers: { authorization: "Bearer t", "content-type": "application/json" },
    body: JSON.stringify({ title: "t", description: "d", labels: [], assignees: [], embeds: [] }),
  }),
  await ask(`${project}/diff/${old}/${now}`),
];
await close();
statuses.push(await ask(project));
process.stdout.write(`${statuses.join(" ")}\n`);
