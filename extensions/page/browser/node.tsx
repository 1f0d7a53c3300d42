/** The view of the node: its name, and the repositories that it seeds. */
import type { ComponentChildren, JSX } from "preact";
import { useAnswer, useFreshness } from "./answers.ts";
import { visitor } from "./app.ts";
import { Rows } from "./lists.tsx";
import { Badge, Block, Copy, counted, Loaded, Outside, Section, Title } from "./parts.tsx";
import { inRepository } from "./places.ts";

export function Node(): JSX.Element {
  const answer = useAnswer("node", async (options) => {
    const { client } = visitor;
    const { nid, version } = await client.get("/api/v1", {}, options);
    const [node, { alias }, stats, policies] = await Promise.all([
      client.get("/api/v1/node", {}, options),
      client.get("/api/v1/nodes/:nid", { nid }, options),
      client.get("/api/v1/stats", {}, options),
      client.get("/api/v1/node/policies/repos", {}, options),
    ]);
    return { nid, version, node, alias, stats, policies };
  });
  useFreshness(answer.reload);
  return (
    <Loaded answer={answer} isView>
      {({ nid, version, node: { state, agent, config }, alias, stats, policies }) => (
        <>
          <Title text={alias ?? "Radicle node"} />
          <dl class="facts">
            <Fact name="Node id">
              <code>{nid}</code> <Copy text={nid} name="node id" />
            </Fact>
            <Fact name="State">
              <Badge kind={state}>{state}</Badge>
            </Fact>
            {agent && <Fact name="Programs">{agent}</Fact>}
            <Fact name="Service">
              Xylem {version} · <Outside href={`${visitor.base}/api/v1`}>JSON</Outside>
            </Fact>
            <Fact name="Repositories">{counted(stats.projects.count, "repository", "repositories")}</Fact>
          </dl>
          <Section title="Seeding">
            <Rows items={policies} empty="No policies.">
              {({ id, scope, policy }) => (
                <li key={id}>
                  <Badge kind={policy}>{policy}</Badge>
                  <a class="grow subject" href={inRepository(id)}>
                    <code>{id}</code>
                  </a>
                  <span class="note">references of {scope === "all" ? "all" : "followed"} nodes</span>
                </li>
              )}
            </Rows>
          </Section>
          {config !== null && (
            <Section title="Configuration">
              <Block name="Configuration">{JSON.stringify(config, undefined, 2)}</Block>
            </Section>
          )}
        </>
      )}
    </Loaded>
  );
}

function Fact(
  { name, children }: { readonly name: string; readonly children: ComponentChildren },
): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
