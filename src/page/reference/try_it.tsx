/** The form that sends a request of the reference, with the visitor's session. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { seen, visitor } from "../app.ts";
import { Copy } from "../parts.tsx";
import { hashOf } from "../places.ts";
import { Form } from "../writing.tsx";
import { type OpenApiDocument, type Operation, resolve } from "./document.ts";
import { curlOf, requestOf, shownBody, type TriedRequest } from "./request.ts";

/** Longest answer that is shown, in bytes. */
const MAX_SHOWN_BYTES = 512 * 1024;

/** An answer, as it is shown. */
interface Shown {
  readonly status: string;
  readonly isGood: boolean;
  readonly fields: string;
  readonly text: string;
  readonly curl: string;
}

/** A form for an operation; a remark for one that takes something else than JSON. */
export function TryIt(
  { document: { components }, method, template, operation }: {
    readonly document: OpenApiDocument;
    readonly method: string;
    readonly template: string;
    readonly operation: Operation;
  },
): JSX.Element {
  const { operationId, requestBody, security } = operation;
  const [answer, setAnswer] = useState<Shown>();
  const json = requestBody?.content["application/json"];
  if (requestBody !== undefined && json === undefined) {
    return <p class="note">Programs send this request: its body is not JSON.</p>;
  }
  const parameters = (operation.parameters ?? []).map((given) => resolve(given, components.parameters));
  const send = async (fields: Readonly<Record<string, string>>) => {
    setAnswer(undefined);
    const request = requestOf({
      method,
      template,
      parameters: parameters.map(({ name, in: place }) => ({ name, in: place, value: fields[name] ?? "" })),
      body: json && fields["body "],
      token: visitor.token,
    });
    setAnswer(await sent(request));
  };
  const form = (
    <Form kind="try" label={`Try ${operationId}`} action={`Send ${method.toUpperCase()}`} onSend={send}>
      {parameters.map(({ name, in: place, schema, required }) => {
        const id = `${operationId}-${name}`;
        const choices = schema?.enum?.map(String);
        return (
          <div class="field" key={name}>
            <label for={id}>{name}</label>
            {choices === undefined
              ? (
                <input
                  id={id}
                  name={name}
                  defaultValue={place === "path" ? proposal(name, template) : ""}
                  autocomplete="off"
                  spellcheck={false}
                  required={required === true}
                />
              )
              : (
                <select id={id} name={name}>
                  {["", ...choices].map((choice) => <option key={choice}>{choice}</option>)}
                </select>
              )}
          </div>
        );
      })}
      {json && (
        <div class="field">
          <label for={`${operationId}-body`}>Body</label>
          <textarea
            id={`${operationId}-body`}
            name="body "
            rows={8}
            spellcheck={false}
            defaultValue={json.example === undefined ? "{}" : JSON.stringify(json.example, undefined, 2)}
          />
        </div>
      )}
      {security !== undefined && visitor.token === undefined && (
        <p class="note">
          It needs a session: <a href={hashOf(["sign-in"])}>sign in</a> first.
        </p>
      )}
    </Form>
  );
  return (
    <>
      {form}
      <div role="status">{answer && <Answer answer={answer} />}</div>
    </>
  );
}

/** A value that the visitor has seen; an id of a patch is not one of an issue. */
function proposal(name: string, template: string): string {
  if (name === "id" && !template.includes("/issues/")) return "";
  return seen.get(name) ?? "";
}

async function sent(request: TriedRequest): Promise<Shown> {
  const response = await fetch(visitor.base + request.path, {
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    // What the service says now.
    cache: "no-store",
  });
  const type = response.headers.get("content-type") ?? "";
  const bytes = await readStart(response);
  const isText = type.startsWith("text/") || type.startsWith("application/json");
  return {
    status: `${response.status} ${response.statusText}`,
    isGood: response.ok,
    fields: [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n"),
    text: bytes === undefined
      ? `More than ${MAX_SHOWN_BYTES} bytes: not shown.`
      : isText
      ? shownBody(new TextDecoder().decode(bytes), type)
      : `${bytes.length} bytes of ${type || "no type"}.`,
    curl: curlOf(visitor.base, request),
  };
}

function Answer({ answer: { status, isGood, fields, text, curl } }: { readonly answer: Shown }): JSX.Element {
  return (
    <>
      <p class={`answer ${isGood ? "good" : "bad"}`}>{status}</p>
      <details>
        <summary>Header fields</summary>
        <Block text={fields} name="Header fields" />
      </details>
      <Block text={text} name="Answer" />
      <details>
        <summary>For a shell</summary>
        <Block text={curl} name="Command" />
        <Copy text={curl} name="command" />
      </details>
    </>
  );
}

/** A block of text, which can be scrolled by keys. */
export function Block({ text, name }: { readonly text: string; readonly name: string }): JSX.Element {
  return <pre tabIndex={0} role="region" aria-label={name}>{text}</pre>;
}

/** The body of an answer; `undefined` for one that is too long. */
async function readStart(response: Response): Promise<Uint8Array | undefined> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader?.read() ?? { done: true, value: undefined };
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    chunks.push(value);
    if (size > MAX_SHOWN_BYTES) return void await reader?.cancel();
  }
}
