/** The contract is whole, and its document is one of OpenAPI 3.1. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type ErrorCode, statusOf } from "../../src/http/errors.ts";
import { allEndpoints, endpointsWith, EXTENSION_NAMES, replicaClones } from "../../build/contract/all.ts";
import {
  documentOf as documentOfRoutes,
  hasOtherForm,
  openApiDocument,
  toTemplate,
} from "../../build/contract/document.ts";
import { ERRORS } from "../../build/contract/errors.ts";
import { needOf } from "../../src/contract/traits.ts";
import { extensionsWithRoutes } from "../../extensions/with_routes.ts";
import { allExtensions } from "../support/extensions.ts";
import { allRoutes } from "../../src/routes/table.ts";
import { withExactBounds } from "../../build/contract/schemas.ts";
import { contractModules } from "../../build/carry_contract.ts";
import { versionWith } from "../../src/version.ts";
import { createTestApi, OWNER } from "../support/api.ts";

/** A repository that has aliases. */
const RID = "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5";

/** Options of a service that decide which routes there are. */
interface ServiceOptions {
  readonly signIn: "key" | "wallet";
  readonly api: "both" | "v1" | "today";
  readonly page?: boolean;
}

const SERVICES = [
  { signIn: "key", api: "both" },
  { signIn: "key", api: "v1" },
  { signIn: "wallet", api: "both" },
  { signIn: "key", api: "today" },
  { signIn: "key", api: "both", page: true },
] as const satisfies readonly ServiceOptions[];
const documentOf = ({ signIn, api: dialect, page }: ServiceOptions, withUnused = false) =>
  JSON.parse(
    JSON.stringify(
      openApiDocument({
        version: "0.1.0-dev",
        basePath: "/radicle",
        signIn,
        dialect,
        page: page ?? false,
        withUnused,
      }),
    ),
  );

/** Parses a document. Bounds of 64 bits become texts, because a number would round them. */
const exactly = (text: string) => JSON.parse(text.replace(/:(-?\d{16,})(?=[,}])/g, ':"$1"'));

for (const service of SERVICES as readonly ServiceOptions[]) {
  const page = service.page ? "the" : "no";
  describe(`the contract of a service with sign-in by ${service.signIn}, --api ${service.api} and ${page} page`, () => {
    const document = documentOf(service);
    const endpoints = allEndpoints(service.signIn, service.api, service.page);

    it("describes the routes of the service, all of them, in their order, and no others", () => {
      const routes = allRoutes(
        { api: service.api, ...(service.signIn === "wallet" && { wallets: { addresses: [], domain: "" } }) },
        allExtensions(service),
      );
      assert.deepEqual(
        endpoints.map(({ method, path }) => `${method} ${path}`),
        [...new Set(routes.map(([method, path]) => `${method} ${path}`))],
      );
    });

    it("agrees with the traits of the routes", () => {
      const traits = new Map(
        allRoutes(
          {
            api: service.api,
            ...(service.signIn === "wallet" && { wallets: { addresses: [], domain: "" } }),
          },
          allExtensions(service),
        ).map((
          [method, path, , traits = {}],
        ) => [`${method} ${path}`, traits]),
      );
      for (const { method, path, hasTextErrors, isExpensive, needsSession } of endpoints) {
        const { repository, ...found } = traits.get(`${method} ${path}`)!;
        assert.equal(found.hasTextErrors, hasTextErrors, path);
        assert.equal(found.isExpensive, isExpensive, path);
        if (needsSession) assert.equal(needOf(method, found), "change", path);
        const named = ["project", "rid", "name"].find((name) => new RegExp(`:${name}(?:/|$)`).test(path));
        if (named !== undefined) assert.equal(repository, named, path);
      }
    });

    it("describes shares where answers are expensive, and nowhere else", () => {
      for (const { method, path, isExpensive = false } of endpoints) {
        const { responses } = document.paths[toTemplate(path)][method.toLowerCase()];
        assert.equal("429" in responses, isExpensive, path);
        // Of a path that is too long, the host says so.
        const { 431: _ofHost, ...ours } = responses;
        for (const response of Object.values(ours) as { $ref?: string; headers?: object }[]) {
          const { headers = {} } = response.$ref === undefined
            ? response
            : document.components.responses[response.$ref.split("/").at(-1)!];
          assert.equal("X-Robots-Tag" in headers, isExpensive, path);
        }
      }
    });

    it("is a document of OpenAPI 3.1", async () => {
      const { valid, errors } = await new Validator().validate(structuredClone(document));
      assert.deepEqual([valid, errors ?? []], [true, []]);
    });

    it("gives each operation a name of its own, a summary and a description of each parameter", () => {
      const names = new Set<string>();
      for (const { method, path } of endpoints) {
        const operation = document.paths[toTemplate(path)][method.toLowerCase()];
        if (hasOtherForm(path)) {
          assert.match(operation.description, /slash/, path);
          continue;
        }
        assert.ok(!names.has(operation.operationId), operation.operationId);
        names.add(operation.operationId);
        assert.match(operation.summary, /\w\.$/);
        for (const { $ref, description } of operation.parameters) assert.ok($ref ?? description, path);
      }
    });

    it("says of each operation whether it needs a session", () => {
      for (const { method, path, needsSession } of endpoints) {
        const { security } = document.paths[toTemplate(path)][method.toLowerCase()];
        assert.deepEqual(security, needsSession ? [{ session: [] }] : [], path);
      }
    });

    it("has no part to which nothing refers", () => {
      const text = JSON.stringify(document);
      for (const [kind, named] of Object.entries(document.components)) {
        if (kind === "securitySchemes") continue;
        for (const name of Object.keys(named as object)) {
          assert.ok(text.includes(`"#/components/${kind}/${name}"`), `${kind}/${name}`);
        }
      }
    });

    it("refers to parts that are there", () => {
      const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? [];
      for (const reference of new Set(references.map((text) => JSON.parse(text)))) {
        const found = reference.slice(2).split("/").reduce(
          (at: Record<string, unknown>, name: string) => at?.[name] as Record<string, unknown>,
          document,
        );
        assert.ok(found !== undefined, reference);
      }
    });
  });
}

describe("the contract", () => {
  it("describes each error code, with its status", () => {
    for (const [code, { status, description }] of Object.entries(ERRORS)) {
      assert.match(description, /\w\.$/, code);
      if (!["fault", "unsupported"].includes(code)) {
        assert.equal(status, statusOf(code as ErrorCode));
      }
    }
    const described = Object.keys(documentOf(SERVICES[0], true).components.responses).filter((name) =>
      !name.startsWith("text")
    ).map((name) => Number(name.replace("expensive", "")));
    assert.deepEqual(new Set(described), new Set(Object.values(ERRORS).map(({ status }) => status)));
  });
});

describe("GET /openapi.json", () => {
  it("is made of what `node build/carry_contract.ts` writes", () => {
    for (const [path, text] of contractModules()) {
      const isSame = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8") === text;
      assert.ok(isSame, `${path} is old: run \`node build/carry_contract.ts\``);
    }
  });

  for (const signIn of ["key", "wallet"] as const) {
    for (const dialect of ["v1", "both"] as const) {
      for (const page of [true, false]) {
        it(`answers the document of a service with sign-in by ${signIn}, --api ${dialect} and page: ${page}`, async () => {
          const wallets = { addresses: [`0x${"1".repeat(40)}`], domain: "example.org" };
          const { api } = createTestApi({
            ...(signIn === "wallet" && { wallets }),
            api: dialect,
            page,
            aliases: { "heart.wood": RID, "x-1": RID },
            commit: "%aliases%",
          });
          const answer = await api.fetch(new Request("http://localhost/api/v1/openapi.json"));
          const options = { version: versionWith("%aliases%"), basePath: "", signIn, dialect, page };
          const document = openApiDocument({ ...options, names: ["heart.wood", "x-1"] });
          assert.deepEqual(exactly(await answer.text()), exactly(withExactBounds(JSON.stringify(document))));
        });
      }
    }
  }

  it("answers the document of the service, with the path below which it is mounted", async () => {
    const { api, get } = createTestApi({ basePath: "/radicle" });
    const request = new Request("http://localhost/radicle/api/v1/openapi.json");
    const { servers, info, openapi } = await (await api.fetch(request)).json();
    assert.deepEqual([openapi, servers, info.title], ["3.1.0", [{ url: "/radicle" }], "Xylem"]);
    assert.equal((await get("/openapi.json")).status, 404);
  });

  it("has the exact bounds of integers of 64 bits, which are served", async () => {
    const { api } = createTestApi();
    const text = await (await api.fetch(new Request("http://localhost/api/v1/openapi.json"))).text();
    const bounds = new Set(text.match(/(?<="(?:min|max)imum":)-?\d{19,}/g));
    assert.deepEqual(
      bounds,
      new Set(["18446744073709551615", "-9223372036854775808", "9223372036854775807"]),
    );
  });

  for (const name of EXTENSION_NAMES) {
    for (const dialect of ["v1", "both"] as const) {
      it(`describes of all extensions only ${name}, if the service has no other, with --api ${dialect}`, async () => {
        const extensions = [...extensionsWithRoutes({ page: true }), replicaClones()]
          .filter((extension) => extension.name === name);
        const { api } = createTestApi({ api: dialect, extensions });
        const answer = await api.fetch(new Request("http://localhost/api/v1/openapi.json"));
        const endpoints = endpointsWith([name], "key", dialect);
        const document = documentOfRoutes(endpoints, { version: versionWith(undefined), basePath: "" });
        assert.deepEqual(exactly(await answer.text()), exactly(withExactBounds(JSON.stringify(document))));
      });
    }
  }

  it("leaves out what a service without extensions has no routes for", async () => {
    const { api } = createTestApi({ extensions: [] });
    const text = await (await api.fetch(new Request("http://localhost/api/v1/openapi.json"))).text();
    const document = JSON.parse(text);
    const paths = new Set(allRoutes({ api: "v1" }).map(([, pattern]) => toTemplate(pattern)));
    assert.deepEqual(new Set(Object.keys(document.paths)), paths);
    assert.match(text, /"maximum":18446744073709551615/);
    for (const kind of ["schemas", "responses", "headers", "parameters"]) {
      const unused = Object.keys(document.components[kind])
        .filter((name) => !text.includes(`"#/components/${kind}/${name}"`));
      assert.deepEqual(unused, [], kind);
    }
    assert.deepEqual(await new Validator().validate(document), { valid: true });
  });

  it("is not sent again to who has it", async () => {
    const { get } = createTestApi();
    const first = await get("/openapi.json");
    const etag = first.headers.get("etag")!;
    assert.equal(first.headers.get("cache-control"), "no-cache");
    const again = await get("/openapi.json", OWNER, { headers: { "if-none-match": etag } });
    assert.deepEqual([again.status, again.body, again.headers.get("etag")], [304, "", etag]);
  });
});
