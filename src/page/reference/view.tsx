/** The reference of the API, from the service's document of OpenAPI. Operations are drawn when they open. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../answers.ts";
import { visitor } from "../app.ts";
import type { ViewProps } from "../lazily.tsx";
import { Loaded, Outside, Title } from "../parts.tsx";
import { hashOf } from "../places.ts";
import {
  type Contents,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  referredName,
  resolve,
  type Schema,
} from "./document.ts";
import { Block, TryIt } from "./try_it.tsx";
import { typeParts } from "./type_text.ts";

/** An operation and its place. */
interface Entry {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}

/** The reference; its place may name an operation, or a schema by `schema-` and its name. */
export function Reference({ place: { parts } }: ViewProps): JSX.Element {
  const answer = useAnswer(
    "openapi",
    async (options) =>
      await visitor.client.get("/api/v1/openapi.json", {}, options) as unknown as OpenApiDocument,
  );
  return (
    <Loaded answer={answer} isView>{(document) => <Document document={document} open={parts[1]} />}</Loaded>
  );
}

function Document(
  { document, open }: { readonly document: OpenApiDocument; readonly open: string | undefined },
): JSX.Element {
  const { info: { title, version, description = "" }, tags, components } = document;
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const entries = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, template, operation }))
  );
  const isShown = ({ method, template, operation: { operationId, summary } }: Entry) =>
    `${method} ${template} ${operationId} ${summary}`.toLowerCase().includes(wanted);
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
      <p>
        <label>
          Filter{" "}
          <input
            type="search"
            id="operations"
            autocomplete="off"
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        </label>
      </p>
      {tags.map(({ name, description }) => (
        <section key={name} aria-labelledby={`tag-${name}`}>
          <h2 id={`tag-${name}`}>{name}</h2>
          <p>{description}</p>
          {entries.filter((entry) => entry.operation.tags.includes(name) && isShown(entry)).map((entry) => (
            <OperationView
              key={entry.operation.operationId}
              document={document}
              entry={entry}
              isOpen={entry.operation.operationId === open}
            />
          ))}
        </section>
      ))}
      <section aria-labelledby="schemas">
        <h2 id="schemas">Schemas</h2>
        {Object.entries(components.schemas).map(([name, schema]) => (
          <Lazy key={name} isOpen={`schema-${name}` === open} summary={<code>{name}</code>}>
            {() => <TypeBlock schema={schema} name={name} />}
          </Lazy>
        ))}
      </section>
    </div>
  );
}

/** A part that is drawn when it is opened for the first time. */
function Lazy(
  { isOpen, summary, children }: {
    readonly isOpen: boolean;
    readonly summary: ComponentChildren;
    readonly children: () => ComponentChildren;
  },
): JSX.Element {
  const [isDrawn, setDrawn] = useState(isOpen);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    details.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <details
      ref={details}
      open={isOpen}
      onToggle={({ currentTarget }) => currentTarget.open && setDrawn(true)}
    >
      <summary>{summary}</summary>
      {isDrawn && <div class="operation">{children()}</div>}
    </details>
  );
}

/** A sentence in which parts between backticks are code. */
function Prose({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split(/`([^`]+)`/).map((part, i) => i % 2 === 1 ? <code key={i}>{part}</code> : part)}</>;
}

function OperationView(
  { document, entry, isOpen }: {
    readonly document: OpenApiDocument;
    readonly entry: Entry;
    readonly isOpen: boolean;
  },
): JSX.Element {
  const { method, template, operation } = entry;
  const { summary, security, parameters = [], requestBody, responses } = operation;
  const { components } = document;
  const answers = Object.entries(responses).map(([status, given]) =>
    [status, resolve(given, components.responses)] as const
  );
  return (
    <Lazy
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
          <Parameters parameters={parameters.map((one) => resolve(one, components.parameters))} />
          {requestBody && (
            <>
              <h3>Body</h3>
              <ContentsView document={document} contents={requestBody.content} name="Body" />
            </>
          )}
          <h3>Try it</h3>
          <TryIt document={document} method={method} template={template} operation={operation} />
          {answers.filter(([status]) => Number(status) < 400).map(([status, { content = {} }]) => (
            <div key={status}>
              <h3>Answer {status}</h3>
              <ContentsView document={document} contents={content} name={`Answer ${status}`} />
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
    </Lazy>
  );
}

function Parameters({ parameters }: { readonly parameters: readonly Parameter[] }): JSX.Element | null {
  if (parameters.length === 0) return null;
  return (
    <>
      <h3>Parameters</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Parameters">
        <table>
          <thead>
            <tr>{["Name", "In", "Type", "Meaning"].map((text) => <th key={text} scope="col">{text}</th>)}</tr>
          </thead>
          <tbody>
            {parameters.map(({ name, in: place, required, schema = {}, description = "" }) => (
              <tr key={`${place} ${name}`}>
                <th scope="row">
                  <code>{name}</code>
                  {required !== true && " (optional)"}
                </th>
                <td>{place}</td>
                <td>
                  <code>
                    <Type schema={schema} />
                  </code>
                </td>
                <td>
                  <Prose text={description} />
                  {schema.default !== undefined && ` Default: ${JSON.stringify(schema.default)}.`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Contents: their types, and examples. */
function ContentsView(
  { document: { components: { schemas } }, contents, name }: {
    readonly document: OpenApiDocument;
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
              <Block
                text={typeof example === "string" ? example : JSON.stringify(example, undefined, 2)}
                name={`${name}: example`}
              />
            </details>
          )}
        </div>
      ))}
    </>
  );
}

/** A schema as a type; of a reference to a schema the members. */
function TypeBlock(
  { schema, name, schemas = {} }: {
    readonly schema: Schema;
    readonly name: string;
    readonly schemas?: Readonly<Record<string, Schema>>;
  },
): JSX.Element {
  const named = schema.$ref === undefined ? undefined : schemas[referredName(schema.$ref)];
  return (
    <pre tabIndex={0} role="region" aria-label={name}>
      {named !== undefined && <><Type schema={schema} />{" = "}</>}
      <Type schema={named ?? schema} />
    </pre>
  );
}

function Type({ schema }: { readonly schema: Schema }): JSX.Element {
  return (
    <>
      {typeParts(schema).map((part, i) =>
        typeof part === "string"
          ? part
          : <a key={i} href={hashOf(["reference", `schema-${part.name}`])}>{part.name}</a>
      )}
    </>
  );
}
