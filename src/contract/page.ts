/** The page for browsers (4.14): at the root for clients that accept HTML, and its files. */
import type { Endpoint, FileContent } from "./endpoint.ts";
import { Service } from "./root.ts";

/** Fields that bound what browsers do with the page. */
const FIELDS = [
  "Content-Security-Policy",
  "Cross-Origin-Opener-Policy",
  "Cross-Origin-Resource-Policy",
  "Referrer-Policy",
  "X-Content-Type-Options",
];

const file: FileContent = { kind: "file", mediaTypes: ["text/css", "text/javascript"] };

/** Routes of the page, where it is served. */
export const pageEndpoints = [
  {
    method: "GET",
    path: "/",
    name: "showService",
    summary: "Root of the service; for clients that accept HTML, a page.",
    section: "4.14",
    answers: { 200: Service },
    hasPage: true,
    errors: [],
    caching: "revalidated",
    fields: FIELDS,
  },
  {
    method: "GET",
    path: "/page/:file",
    name: "showPageFile",
    summary: "A file of the page.",
    section: "4.14",
    parameters: { file: "Name of a file, as the page has it." },
    answers: { 200: file },
    errors: ["notFound"],
    caching: "immutable",
    fields: FIELDS,
  },
] as const satisfies readonly Endpoint[];
