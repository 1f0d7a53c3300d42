/**
 * The reference of the API, made from the service's document of OpenAPI. Operations are drawn when they open.
 */
import { el, fill, link, prose } from "../dom.ts";
import type { View, ViewContext } from "../views.ts";
import {
  type Contents,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  referredName,
  resolve,
  type Schema,
} from "./document.ts";
import { block, tryIt } from "./try_it.ts";
import { typeParts } from "./type_text.ts";

/** An operation and its place. */
interface Entry {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}

/** Shows the reference; `open` names an operation, or a schema by `schema` and its name. */
export async function referenceView(context: ViewContext, open: string | undefined): Promise<View> {
  const document = await context.visitor.client.get("/api/v1/openapi.json") as unknown as OpenApiDocument;
  const entries = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, template, operation }))
  );
  const { info: { title, version, description }, tags } = document;
  const details = new Map<string, HTMLDetailsElement>();
  const groups = tags.map(({ name, description }) =>
    el(
      "section",
      { "aria-labelledby": `tag-${name}` },
      el("h2", { id: `tag-${name}` }, name),
      el("p", {}, description),
      ...entries.filter(({ operation }) => operation.tags.includes(name)).map((entry) => {
        const drawn = operationDetails(context, document, entry);
        details.set(entry.operation.operationId, drawn);
        return drawn;
      }),
    )
  );
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
    const drawn = lazyDetails([el("code", {}, name)], () => [typeBlock(schema, name)]);
    details.set(`schema-${name}`, drawn);
    return drawn;
  });
  const opened = open === undefined ? undefined : details.get(open);
  if (opened !== undefined) {
    opened.open = true;
    // When the view is in its place.
    requestAnimationFrame(() => {
      opened.scrollIntoView({ block: "start" });
      opened.querySelector("summary")?.focus({ preventScroll: true });
    });
  }
  const filter = el("input", {
    type: "search",
    id: "operations",
    autocomplete: "off",
    oninput: () => {
      const wanted = filter.value.trim().toLowerCase();
      for (const { method, template, operation: { operationId, summary } } of entries) {
        const text = `${method} ${template} ${operationId} ${summary}`.toLowerCase();
        details.get(operationId)!.hidden = !text.includes(wanted);
      }
    },
  });
  return {
    title: "API reference",
    content: [
      el("p", {}, `${title} ${version}. `, ...prose(description ?? "")),
      el(
        "p",
        {},
        "Made from ",
        link(`${context.visitor.base}/api/v1/openapi.json`, "openapi.json"),
        ", which other programs read, too.",
      ),
      el("p", {}, el("label", { for: "operations" }, "Filter "), filter),
      ...groups,
      el("section", { "aria-labelledby": "schemas" }, el("h2", { id: "schemas" }, "Schemas"), ...schemas),
    ],
  };
}

/** A part that is drawn when it is opened for the first time. */
function lazyDetails(summary: readonly (Node | string)[], draw: () => readonly Node[]): HTMLDetailsElement {
  const place = el("div", { class: "operation" });
  const details = el(
    "details",
    {
      ontoggle: () => {
        if (details.open && place.childNodes.length === 0) fill(place, ...draw());
      },
    },
    el("summary", {}, ...summary),
    place,
  );
  return details;
}

function operationDetails(
  context: ViewContext,
  document: OpenApiDocument,
  entry: Entry,
): HTMLDetailsElement {
  const { method, template, operation } = entry;
  const summary = [
    el("span", { class: `method ${method}` }, method.toUpperCase()),
    " ",
    el("code", {}, template),
    " ",
    el("span", { class: "note" }, operation.summary),
  ];
  return lazyDetails(summary, () => [
    el("p", {}, operation.summary, operation.security !== undefined && " Needs a session."),
    ...parameterTable(
      (operation.parameters ?? []).map((one) => resolve(one, document.components.parameters)),
    ),
    ...bodyOf(document, operation),
    el("h3", {}, "Try it"),
    tryIt(context, document, entry),
    ...answersOf(document, operation),
  ]);
}

function parameterTable(parameters: readonly Parameter[]): readonly Node[] {
  if (parameters.length === 0) return [];
  const heads = ["Name", "In", "Type", "Meaning"].map((text) => el("th", { scope: "col" }, text));
  const rows = parameters.map(({ name, in: place, required, schema = {}, description = "" }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("code", {}, name), required !== true && " (optional)"),
      el("td", {}, place),
      el("td", {}, el("code", {}, ...typeNodes(schema))),
      el(
        "td",
        {},
        ...prose(description),
        schema.default !== undefined && ` Default: ${JSON.stringify(schema.default)}.`,
      ),
    )
  );
  return [
    el("h3", {}, "Parameters"),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Parameters" },
      el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows)),
    ),
  ];
}

function bodyOf(document: OpenApiDocument, { requestBody }: Operation): readonly Node[] {
  if (requestBody === undefined) return [];
  return [el("h3", {}, "Body"), ...contentsOf(document, requestBody.content, "Body")];
}

function answersOf(document: OpenApiDocument, { responses }: Operation): readonly Node[] {
  const [answers, errors] = [true, false].map((isGood) =>
    Object.entries(responses).filter(([status]) => (Number(status) < 400) === isGood)
      .map(([status, given]) => [status, resolve(given, document.components.responses)] as const)
  );
  return [
    ...answers!.flatMap(([status, { content }]) => [
      el("h3", {}, `Answer ${status}`),
      ...contentsOf(document, content ?? {}, `Answer ${status}`),
    ]),
    el(
      "details",
      {},
      el("summary", {}, "Errors"),
      el(
        "ul",
        {},
        ...errors!.map(([status, { description = "" }]) =>
          el("li", {}, el("b", {}, status), " ", ...prose(description))
        ),
      ),
    ),
  ];
}

/** Contents: their types, and examples. */
function contentsOf(
  { components: { schemas } }: OpenApiDocument,
  contents: Contents,
  name: string,
): readonly Node[] {
  const entries = Object.entries(contents);
  if (entries.length === 0) return [el("p", { class: "note" }, "No content.")];
  return entries.flatMap(([type, { schema, example }]) => [
    el("p", {}, el("code", {}, type)),
    ...(schema === undefined ? [] : [typeBlock(schema, `${name}: type`, schemas)]),
    ...(example === undefined ? [] : [
      el(
        "details",
        {},
        el("summary", {}, "Example"),
        block(
          typeof example === "string" ? example : JSON.stringify(example, undefined, 2),
          `${name}: example`,
        ),
      ),
    ]),
  ]);
}

/** A schema as a type. Of one that is only a name, its members are shown, too. */
function typeBlock(
  schema: Schema,
  name: string,
  schemas: Readonly<Record<string, Schema>> = {},
): HTMLElement {
  const place = block("", name);
  const resolved = resolve(schema, schemas);
  fill(place, ...typeNodes(schema), ...(resolved === schema ? [] : [" = ", ...typeNodes(resolved)]));
  return place;
}

/** A type, with links to the schemas that it names. */
function typeNodes(schema: Schema): readonly (Node | string)[] {
  return typeParts(schema).map((part) =>
    typeof part === "string" ? part : link(`#/reference/schema-${part.name}`, referredName(part.name))
  );
}
