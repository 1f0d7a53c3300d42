/** Describes the routes of the page in the contract (docs/api.md, 4.14). */
import { type Endpoint, type FileContent, route, Service } from "../../src/contract/mod.ts";

/** Header fields that restrict what browsers do with the page. */
const FIELDS = [
  "Content-Security-Policy",
  "Cross-Origin-Opener-Policy",
  "Cross-Origin-Resource-Policy",
  "Referrer-Policy",
  "X-Content-Type-Options",
];

const file: FileContent = { kind: "file", mediaTypes: ["text/javascript"] };

export const pageEndpoints = [
  route("4.14", "GET /", "showService", "Root of the service. Clients that accept HTML get the page.", {
    200: Service,
  }, { hasPage: true, caching: "revalidated", fields: FIELDS }),
  route("4.14", "GET /page/:file", "showPageFile", "A file of the page.", { 200: file }, {
    parameters: { file: ["Name of a file of the page."] },
    errors: ["notFound"],
    caching: "immutable",
    fields: FIELDS,
  }),
] as const satisfies readonly Endpoint[];
