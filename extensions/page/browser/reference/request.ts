/** Builds the request that a visitor enters in the API reference. */

import type { Parameter } from "./document.ts";

type FilledParameter = Pick<Parameter, "name" | "in"> & { readonly value: string };

export interface TriedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * Builds a request. Empty parameters of the query and the header are left out. Slashes in path parameters are
 * not encoded.
 *
 * @param template Path with names in braces.
 * @param token Bearer token, if the visitor is signed in.
 */
export function requestOf(
  { method, template, parameters, body, token }: {
    readonly method: string;
    readonly template: string;
    readonly parameters: readonly FilledParameter[];
    readonly body: string | undefined;
    readonly token: string | undefined;
  },
): TriedRequest {
  const filled = parameters.filter(({ value }) => value !== "");
  const inPath = new Map(
    filled.filter(({ in: place }) => place === "path").map(({ name, value }) => [name, value]),
  );
  const query = filled.filter(({ in: place }) => place === "query")
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const fields = filled.filter(({ in: place }) => place === "header")
    .map(({ name, value }) => [name.toLowerCase(), value]);
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parts = (inPath.get(name) ?? "").split("/");
    return parts.map((part) => encodeURIComponent(part).replaceAll("%3A", ":")).join("/");
  });
  return {
    method: method.toUpperCase(),
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    headers: {
      ...Object.fromEntries(fields),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      // The field is sent even without a body, as the client library does.
      ...(method !== "get" && { "content-type": "application/json" }),
    },
    body,
  };
}

/**
 * Formats a request as a `curl` command. A shell variable replaces the token, so that the token is not stored
 * in the shell's history.
 */
export function curlOf(base: string, { method, path, headers, body }: TriedRequest): string {
  const fields = Object.entries(headers).map(([name, value]) =>
    name === "authorization" ? ' -H "Authorization: Bearer $token"' : ` -H ${quoted(`${name}: ${value}`)}`
  );
  const data = body === undefined ? "" : ` --data-binary ${quoted(body)}`;
  return `curl -i${method === "GET" ? "" : ` -X ${method}`}${fields.join("")}${data} ${quoted(base + path)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Formats a body for people. JSON is indented, and any other text is unchanged. */
export function shownBody(text: string, type: string): string {
  if (!type.startsWith("application/json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
