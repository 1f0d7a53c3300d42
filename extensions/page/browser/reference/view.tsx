/**
 * Draws the reference of the API from the service's OpenAPI document. An operation is drawn only when it is
 * opened.
 */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useGet } from "../answers.ts";
import { visitor } from "../app.ts";
import type { ViewProps } from "../places.ts";
import { Fold, useFilter } from "../lists.tsx";
import { Block, Loaded, Outside, Title } from "../parts.tsx";
import {
  type Components,
  type Contents,
  type Entry,
  type OpenApiDocument,
  referredName,
  resolve,
  type Schema,
} from "./document.ts";
import { Prose, Type } from "./prose.tsx";
import { TryIt } from "./try_it.tsx";

/** Draws the API reference. The address may name an operation, or a schema as `schema-` and its name. */
export function Reference({ place: { parts } }: ViewProps): JSX.Element {
  const answer = useGet("/api/v1/openapi.json", {});
  return (
    <Loaded answer={answer} isView>
      {(document) => <Document document={document as unknown as OpenApiDocument} open={parts[1]} />}
    </Loaded>
  );
}

function Document(
  { document, open }: { readonly document: OpenApiDocument; readonly open: string | undefined },
): JSX.Element {
  const { info: { title, version, description = "" }, tags, components } = document;
  const { field, isWanted } = useFilter("operations", "Filter by name");
  useEffect(() => globalThis.document.getElementById(`at-${open}`)?.scrollIntoView(), []);
  const entries = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, template, operation }))
  );
  const isShown = ({ method, template, operation: { operationId, summary } }: Entry) =>
    isWanted(`${method} ${template} ${operationId} ${summary}`);
  return (
    <div class="reference">
      <Title text="API reference" />
      <p>
        {title} {version}. <Prose text={description} />
      </p>
      <p>
        Made from{" "}
        <Outside href={`${visitor.base}/api/v1/openapi.json`}>openapi.json</Outside>, which other programs
        read, too.
      </p>
      <p>{field}</p>
      {tags.map(({ name, description }) => (
        <section key={name} aria-labelledby={`tag-${name}`}>
          <h2 id={`tag-${name}`}>{name}</h2>
          <p>{description}</p>
          {entries.filter((entry) => entry.operation.tags.includes(name) && isShown(entry)).map((entry) => (
            <OperationView
              key={entry.operation.operationId}
              components={components}
              entry={entry}
              isOpen={entry.operation.operationId === open}
            />
          ))}
        </section>
      ))}
      <section aria-labelledby="schemas">
        <h2 id="schemas">Schemas</h2>
        {Object.entries(components.schemas).map(([name, schema]) => (
          <Fold
            key={name}
            id={`at-schema-${name}`}
            isOpen={`schema-${name}` === open}
            summary={<code>{name}</code>}
          >
            {() => <TypeBlock schema={schema} name={name} />}
          </Fold>
        ))}
      </section>
    </div>
  );
}

function OperationView(
  { components, entry, isOpen }: {
    readonly components: Components;
    readonly entry: Entry;
    readonly isOpen: boolean;
  },
): JSX.Element {
  const { method, template, operation } = entry;
  const { summary, security, requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, given]) =>
    [status, resolve(given, components.responses)] as const
  );
  return (
    <Fold
      id={`at-${operation.operationId}`}
      isOpen={isOpen}
      summary={
        <>
          <span class={`method ${method}`}>{method.toUpperCase()}</span> <code>{template}</code>{" "}
          <span class="note">{summary}</span>
        </>
      }
    >
      {() => (
        <>
          <p>{summary}{security !== undefined && " Needs a session."}</p>
          {requestBody && (
            <>
              <h3>Body</h3>
              <ContentsView components={components} contents={requestBody.content} name="Body" />
            </>
          )}
          <h3>Try it</h3>
          <TryIt components={components} entry={entry} />
          {answers.filter(([status]) => Number(status) < 400).map(([status, { content = {} }]) => (
            <div key={status}>
              <h3>Answer {status}</h3>
              <ContentsView components={components} contents={content} name={`Answer ${status}`} />
            </div>
          ))}
          <details>
            <summary>Errors</summary>
            <ul>
              {answers.filter(([status]) => !(Number(status) < 400)).map(([status, { description = "" }]) => (
                <li key={status}>
                  <b>{status}</b> <Prose text={description} />
                </li>
              ))}
            </ul>
          </details>
        </>
      )}
    </Fold>
  );
}

function ContentsView(
  { components: { schemas }, contents, name }: {
    readonly components: Components;
    readonly contents: Contents;
    readonly name: string;
  },
): JSX.Element {
  const entries = Object.entries(contents);
  if (entries.length === 0) return <p class="note">No content.</p>;
  return (
    <>
      {entries.map(([type, { schema, example }]) => (
        <div key={type}>
          <p>
            <code>{type}</code>
          </p>
          {schema && <TypeBlock schema={schema} name={`${name}: type`} schemas={schemas} />}
          {example !== undefined && (
            <details>
              <summary>Example</summary>
              <Block name={`${name}: example`}>
                {typeof example === "string" ? example : JSON.stringify(example, undefined, 2)}
              </Block>
            </details>
          )}
        </div>
      ))}
    </>
  );
}

/** Draws a schema as a type. If the schema refers to a named schema, its members are drawn as well. */
function TypeBlock(
  { schema, name, schemas = {} }: {
    readonly schema: Schema;
    readonly name: string;
    readonly schemas?: Readonly<Record<string, Schema>>;
  },
): JSX.Element {
  const named = schema.$ref === undefined ? undefined : schemas[referredName(schema.$ref)];
  return (
    <Block name={name}>
      {named !== undefined && (
        <>
          <Type schema={schema} />
          {" = "}
        </>
      )}
      <Type schema={named ?? schema} />
    </Block>
  );
}
