/** The people of the demo. Each person has a key, and changes issues and patches through the API. */
import { type Api, createApi } from "../../../mod.ts";
import { importEd25519 } from "../../../src/keys/ed25519.ts";
import { signRefs } from "../../../src/identity/sigrefs_writer.ts";
import { formatNid, type NodeId } from "../../../src/ids/nid.ts";
import { type Oid, parseOid } from "../../../src/ids/oid.ts";
import type { CobCache } from "../../../src/ports/cob_cache.ts";
import type { Signer } from "../../../src/ports/signer.ts";
import type { Storage, WritableRepository } from "../../../src/ports/storage.ts";
import { loadLibgit2 } from "../../node/libgit2.ts";
import { openAuthorized } from "../sign_in.ts";
import { moveRef } from "./repository.ts";

/** The time in the story, which differs from the time at which the home is made. */
export interface Clock {
  /** Time in seconds since the Unix epoch. */
  nowSeconds: number;
}

/** Objects that all members share. */
export interface MemberContext {
  readonly storage: Storage;
  readonly cobCache: CobCache;
  readonly clock: Clock;
}

/** Base URL of requests. The host does not matter, because the API runs in this process. */
const BASE = "http://localhost";

export class Member {
  readonly alias: string;
  readonly signer: Signer;
  readonly #clock: Clock;
  readonly #api: Api;
  /** The first error in the API's log. A response does not contain the reason of a failure. */
  #failure: Error | undefined;

  private constructor(alias: string, signer: Signer, context: MemberContext) {
    const { storage, cobCache, clock } = context;
    this.alias = alias;
    this.signer = signer;
    this.#clock = clock;
    this.#api = createApi({
      storage,
      cobCache,
      loadLibgit2,
      profile: { nodeId: signer.nodeId, alias, pinned: () => [] },
      signer: () => signer,
      environment: {
        now: () => clock.nowSeconds * 1000,
        log: (level, message, cause) => {
          if (level !== "info") this.#failure ??= new Error(message, { cause });
        },
      },
    });
  }

  /** @param secret Secret key, 32 bytes. */
  static async create(
    alias: string,
    secret: Uint8Array<ArrayBuffer>,
    context: MemberContext,
  ): Promise<Member> {
    const { publicKey, sign } = await importEd25519(secret);
    return new Member(alias, { nodeId: formatNid(publicKey), sign }, context);
  }

  get nid(): NodeId {
    return this.signer.nodeId;
  }

  close(): Promise<void> {
    return this.#api.close();
  }

  /**
   * Moves references of the member (such as `refs/heads/main`), and signs all references of the member, as a
   * push does.
   */
  async publish(repository: WritableRepository, refs: Readonly<Record<string, Oid>>): Promise<void> {
    for (const [name, to] of Object.entries(refs)) {
      await moveRef(repository, `refs/namespaces/${this.nid}/${name}`, to);
    }
    const { nowSeconds: timeSeconds } = this.#clock;
    await signRefs(repository, { nid: this.nid, signer: this.signer, timeSeconds, generation: "newest" });
  }

  /**
   * Sends a request with a new session. Days pass between two requests in the story, so an earlier session
   * would have expired.
   *
   * @param path Path below `/projects/`.
   * @returns the id of the new issue, patch, comment, review or revision.
   */
  async send(method: "POST" | "PATCH", path: string, body: object): Promise<Oid> {
    const ask = (url: string, init: RequestInit) => this.#api.fetch(new Request(url, init));
    const token = await openAuthorized(BASE, this.signer, ask);
    const headers = { "authorization": `Bearer ${token}`, "content-type": "application/json" };
    const response = await ask(`${BASE}/api/v1/projects/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (this.#failure !== undefined) throw this.#failure;
    const answer: { id?: string; error?: string } = await response.json();
    if (answer.id === undefined) throw new Error(`Cannot make the demo: ${method} ${path}: ${answer.error}`);
    return parseOid(answer.id);
  }
}
