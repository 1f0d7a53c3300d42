/** The form that sends a request of the reference, with the visitor's session. */
import { copyButton, el, errorNote, fill } from "../dom.ts";
import type { ViewContext } from "../views.ts";
import { type OpenApiDocument, type Operation, resolve } from "./document.ts";
import { curlOf, requestOf, shownBody } from "./request.ts";

/** Longest answer that is shown, in bytes. */
const MAX_SHOWN_BYTES = 512 * 1024;

/** A form for an operation; a remark for one that takes something else than JSON. */
export function tryIt(
  { visitor, seen }: ViewContext,
  { components }: OpenApiDocument,
  { method, template, operation }: {
    readonly method: string;
    readonly template: string;
    readonly operation: Operation;
  },
): HTMLElement {
  const { operationId, requestBody } = operation;
  const json = requestBody?.content["application/json"];
  if (requestBody !== undefined && json === undefined) {
    return el("p", { class: "note" }, "Programs send this request: its body is not JSON.");
  }
  const fields = (operation.parameters ?? []).map((given) => resolve(given, components.parameters))
    .map((parameter) => {
      const { name, in: place, schema, required } = parameter;
      const id = `${operationId}-${name}`;
      const proposed = place === "path" ? proposal(name) : "";
      const choices = schema?.enum?.map(String);
      const input = choices === undefined
        ? el("input", { id, value: proposed, autocomplete: "off", spellcheck: "false", required })
        : el("select", { id }, ...["", ...choices].map((choice) => el("option", { value: choice }, choice)));
      return { parameter, input, row: el("div", { class: "field" }, el("label", { for: id }, name), input) };
    });
  const body = json && el("textarea", { id: `${operationId}-body`, rows: "8", spellcheck: "false" });
  if (body) body.value = json.example === undefined ? "{}" : JSON.stringify(json.example, undefined, 2);
  const answer = el("div", { role: "status" });

  /** A value that the visitor has seen; an id of a patch is not one of an issue. */
  function proposal(name: string): string {
    if (name === "id" && !template.includes("/issues/")) return "";
    return seen.get(name) ?? "";
  }

  async function send(): Promise<void> {
    const request = requestOf({
      method,
      template,
      parameters: fields.map(({ parameter: { name, in: place }, input }) => ({
        name,
        in: place,
        value: input.value.trim(),
      })),
      body: body?.value,
      token: visitor.token,
    });
    fill(answer, el("p", { class: "note" }, "Sent…"));
    try {
      const response = await fetch(visitor.base + request.path, {
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        // What the service says now.
        cache: "no-store",
      });
      fill(answer, ...await shownAnswer(response, curlOf(visitor.base, request)));
    } catch (error) {
      fill(answer, errorNote(error));
    }
  }

  return el(
    "form",
    {
      class: "try",
      "aria-label": `Try ${operationId}`,
      onsubmit: (event) => {
        event.preventDefault();
        void send();
      },
    },
    ...fields.map(({ row }) => row),
    body && el("div", { class: "field" }, el("label", { for: body.id }, "Body"), body),
    operation.security !== undefined && visitor.token === undefined &&
      el(
        "p",
        { class: "note" },
        "It needs a session: ",
        el("a", { href: "#/sign-in" }, "sign in"),
        " first.",
      ),
    el("button", { type: "submit" }, `Send ${method.toUpperCase()}`),
    answer,
  );
}

async function shownAnswer(response: Response, curl: string): Promise<readonly Node[]> {
  const type = response.headers.get("content-type") ?? "";
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  const bytes = await readStart(response);
  const isText = type.startsWith("text/") || type.startsWith("application/json");
  const text = bytes === undefined
    ? `More than ${MAX_SHOWN_BYTES} bytes: not shown.`
    : isText
    ? shownBody(new TextDecoder().decode(bytes), type)
    : `${bytes.length} bytes of ${type || "no type"}.`;
  return [
    el(
      "p",
      { class: response.ok ? "answer good" : "answer bad" },
      `${response.status} ${response.statusText}`,
    ),
    el("details", {}, el("summary", {}, "Header fields"), block(fields, "Header fields")),
    block(text, "Answer"),
    el(
      "details",
      {},
      el("summary", {}, "For a shell"),
      block(curl, "Command"),
      copyButton(curl, "command") ?? "",
    ),
  ];
}

/** A block of text, which can be scrolled by keys. */
export function block(text: string, name: string): HTMLElement {
  return el("pre", { tabindex: "0", role: "region", "aria-label": name }, text);
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
