/** The form of the API reference that sends a request with the visitor's session. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { seen, visitor } from "../app.ts";
import { Block, Copy } from "../parts.tsx";
import { Field, Form, SignedIn } from "../writing.tsx";
import { type Components, type Entry, resolve } from "./document.ts";
import { Prose, Type } from "./prose.tsx";
import { curlOf, requestOf, shownBody, type TriedRequest } from "./request.ts";

/** Maximum length of a response that is shown, in bytes. */
const MAX_SHOWN_BYTES = 512 * 1024;

interface Shown {
  readonly response: Response;
  readonly text: string;
  readonly curl: string;
}

/** Draws a form for an operation. If the body of the operation is not JSON, draws a note instead. */
export function TryIt(
  { components, entry: { method, template, operation } }: {
    readonly components: Components;
    readonly entry: Entry;
  },
): JSX.Element {
  const { operationId, requestBody, security } = operation;
  const [answer, setAnswer] = useState<Shown>();
  const json = requestBody?.content["application/json"];
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
  const fields = parameters.map(({ name, in: place, schema = {}, required, description = "" }) => {
    const id = `${operationId}-${name}`;
    const field = { name, "aria-describedby": id };
    return (
      <div class="field" key={name}>
        {schema.enum === undefined
          ? (
            <Field
              {...field}
              label={name}
              defaultValue={place === "path" ? proposal(name, template) : ""}
              spellcheck={false}
              required={required === true}
            />
          )
          : (
            <label>
              {name}{" "}
              <select {...field}>
                {["", ...schema.enum.map(String)].map((choice) => <option key={choice}>{choice}</option>)}
              </select>
            </label>
          )}
        <p class="note" id={id}>
          {required ? "" : "optional, "}
          {place}:{" "}
          <code>
            <Type schema={schema} />
          </code>{" "}
          <Prose text={description} />
          {schema.default !== undefined && ` Default: ${JSON.stringify(schema.default)}.`}
        </p>
      </div>
    );
  });
  if (requestBody !== undefined && json === undefined) {
    return (
      <fieldset disabled>
        {fields}
        <p class="note">Programs send this request: its body is not JSON.</p>
      </fieldset>
    );
  }
  return (
    <>
      <Form kind="try" label={`Try ${operationId}`} action={`Send ${method.toUpperCase()}`} onSend={send}>
        {fields}
        {json && (
          <label>
            Body{" "}
            <textarea
              name="body "
              rows={8}
              spellcheck={false}
              defaultValue={JSON.stringify(json.example ?? {}, undefined, 2)}
            />
          </label>
        )}
        {security !== undefined && <SignedIn to="send it" />}
      </Form>
      <div role="status">{answer && <Answer answer={answer} />}</div>
    </>
  );
}

/**
 * Returns a suggested value for a parameter: a value that the visitor has seen. The id of an issue is
 * suggested only for paths of issues, because other parameters are also named `id`.
 */
function proposal(name: string, template: string): string {
  if (name === "id" && !template.includes("/issues/")) return "";
  return seen.get(name) ?? "";
}

async function sent(request: TriedRequest): Promise<Shown> {
  const response = await fetch(visitor.base + request.path, {
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    // The browser's cache is not used, so that the response shows the current state of the service.
    cache: "no-store",
  });
  const type = response.headers.get("content-type") ?? "";
  const bytes = await readStart(response);
  const isText = type.startsWith("text/") || type.startsWith("application/json");
  const text = bytes === undefined
    ? `More than ${MAX_SHOWN_BYTES} bytes: not shown.`
    : isText
    ? shownBody(new TextDecoder().decode(bytes), type)
    : `${bytes.length} bytes of ${type || "no type"}.`;
  return { response, text, curl: curlOf(visitor.base, request) };
}

function Answer({ answer: { response, text, curl } }: { readonly answer: Shown }): JSX.Element {
  const { status, statusText, ok, headers } = response;
  return (
    <>
      <p class={`answer ${ok ? "good" : "bad"}`}>{status} {statusText}</p>
      <details>
        <summary>Header fields</summary>
        <Block name="Header fields">{[...headers].map((field) => field.join(": ")).join("\n")}</Block>
      </details>
      <Block name="Answer">{text}</Block>
      <details>
        <summary>For a shell</summary>
        <Block name="Command">{curl}</Block>
        <Copy text={curl} name="command" />
      </details>
    </>
  );
}

/** Returns the body of a response; `undefined` for a body that is too long. */
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
