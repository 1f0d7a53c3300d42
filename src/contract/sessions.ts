/** Schemas and routes of sessions, with the key of the node or with a wallet (specification, 2.13, 4.8). */
import * as v from "valibot";
import { KeyProof, WalletProof } from "./bodies.ts";
import { change, type Endpoint, read, route } from "./endpoint.ts";
import { OF_BODIES } from "./errors.ts";
import { Done } from "./node.ts";
import { list, NodeId, Time } from "./values.ts";

/** A session for sign-in with the node's key. */
export const Session = v.object({
  sessionId: v.pipe(
    v.string(),
    v.description("The bearer token. It is valid once the session is authorized."),
  ),
  status: v.picklist(["unauthorized", "authorized"]),
  publicKey: NodeId,
  alias: v.exactOptional(v.string()),
  issuedAt: Time,
  expiresAt: Time,
});

const ShownTime = v.pipe(v.string(), v.description("`2023-01-27 9:05:03.25 +00:00:00`."));

/** A session that waits for the signature of a wallet. */
export const WaitingSession = v.object({ id: v.string(), nonce: v.string(), expirationTime: ShownTime });

/** A new session for a wallet. */
export const NewWalletSession = v.object({ id: v.string(), nonce: v.string() });

export const WalletSession = v.object({
  id: v.pipe(v.string(), v.description("The bearer token.")),
  session: v.object({
    domain: v.string(),
    address: v.pipe(v.string(), v.description("In lower case.")),
    statement: v.null(),
    uri: v.string(),
    version: v.literal(1),
    chainId: v.pipe(v.number(), v.integer()),
    nonce: v.string(),
    issuedAt: ShownTime,
    expirationTime: v.nullable(ShownTime),
    resources: list(v.string()),
  }),
});

export type Session = v.InferOutput<typeof Session>;
export type WaitingSession = v.InferOutput<typeof WaitingSession>;
export type NewWalletSession = v.InferOutput<typeof NewWalletSession>;
export type WalletSession = v.InferOutput<typeof WalletSession>;

const id = { id: ["Id of a session."] } as const;

/** Routes for sign-in with the node's key. */
export const keySessionEndpoints = [
  route("4.8.1", "POST /api/v1/sessions", "openSession", "Opens a session, which waits for a signature.", {
    201: Session,
  }, { caching: "none" }),
  read("4.8.1", "/sessions/:id", "showSession", "One session.", Session, {
    parameters: id,
    errors: ["badParameter", "notFound"],
    caching: "none",
  }),
  route("4.8.1", "PUT /api/v1/sessions/:id", "authorizeSession", "Signs in.", { 200: Done }, {
    parameters: id,
    body: KeyProof,
    errors: ["badParameter", ...OF_BODIES, "unauthorized", "notFound"],
  }),
  change("4.8.1", "DELETE /sessions/:id", "deleteSession", "Signs out.", { 200: Done }, {
    parameters: id,
    errors: ["badRequest", "badParameter", "unauthorized", "notFound"],
  }),
] as const satisfies readonly Endpoint[];

/** Routes for sign-in with a wallet. */
export const walletSessionEndpoints = [
  route(
    "4.8.2",
    "POST /api/v1/sessions",
    "openWalletSession",
    "Opens a session, which waits for the signature of a wallet.",
    { 201: NewWalletSession },
    { caching: "none" },
  ),
  read(
    "4.8.2",
    "/sessions/:id",
    "showWalletSession",
    "One session.",
    v.union([WaitingSession, WalletSession]),
    { parameters: id, errors: ["badParameter", "notFound"], caching: "none" },
  ),
  route("4.8.2", "PUT /api/v1/sessions/:id", "authorizeWalletSession", "Signs in.", { 200: WalletSession }, {
    parameters: id,
    body: WalletProof,
    errors: ["badParameter", ...OF_BODIES, "unauthorized", "notFound"],
    caching: "none",
  }),
] as const satisfies readonly Endpoint[];
