/**
 * Finds the identity document in force in a repository without `refs/rad/id`. The search evaluates the
 * identities in the namespaces of the nodes.
 */
import { Memory } from "../../cache/memory.ts";
import { ifReadable, isUnreadable } from "../../errors.ts";
import { parseCommitHeader } from "../../git/commit.ts";
import { resolveRef, resolveRefs } from "../../git/references.ts";
import { docContent, parseDoc } from "../../identity/doc.ts";
import { MAX_DOC_BYTES } from "../../identity/doc_json.ts";
import { findDocBlob } from "../../identity/identity.ts";
import { nidToPublicKey, type NodeId } from "../../ids/nid.ts";
import { type Oid, oidToBytes } from "../../ids/oid.ts";
import { ridToOid } from "../../ids/rid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import { Concurrency } from "../entry/concurrency.ts";
import { applyToEarlyIdentity, type EarlyIdentity, initEarlyIdentity } from "./early_identity.ts";
import { EntryReader } from "../entry/entry_reader.ts";
import type { Entry } from "../entry/entry.ts";
import { beginToVerify, ExactChecks } from "../entry/entry_signature.ts";
import {
  loadGraph,
  MAX_ENTRIES,
  orderEntries,
  requireFollowed,
  rootOf,
  visitEntries,
} from "../entry/graph.ts";
import { applyToIdentity, type Identity, initIdentity } from "./identity.ts";
import { IDENTITY_TYPE, IdentityAction, type IdentityStep } from "./proposal.ts";
import { type EntryMetadata, Refusal } from "../op.ts";
import type { Rules } from "../rules.ts";
import { decodeStored } from "../entry/stored_action.ts";

const NO_DOC = { doc: undefined, content: undefined };

interface SignatureWork {
  readonly checks: ExactChecks;
  readonly task: Task;
}

interface Steps<I> {
  init(metadata: EntryMetadata, steps: readonly IdentityStep[], blob: Oid): I;
  apply(identity: I, metadata: EntryMetadata, step: IdentityStep, isConcurrent: () => boolean): void;
}

const STEPS: Steps<Identity> = { init: initIdentity, apply: applyToIdentity };
const EARLY_STEPS: Steps<EarlyIdentity> = { init: initEarlyIdentity, apply: applyToEarlyIdentity };

export class IdentitySearch {
  readonly #rules: Rules;
  readonly #reader: EntryReader<IdentityAction>;

  constructor(rules: Rules, memory: Memory = new Memory()) {
    this.#rules = rules;
    this.#reader = new EntryReader((value) => decodeStored(IdentityAction, value, rules), rules, memory);
  }

  /**
   * Returns the commit of the document in force. The nodes are searched in the order of their ids, for an
   * identity that begins with the document from which the repository's id was derived. Returns `undefined` if
   * no node has such an identity.
   */
  async find(repository: Repository, task: Task): Promise<Oid | undefined> {
    const tried = new Set<Oid>();
    for (const { name } of await resolveRefs(repository, "refs/namespaces/*/refs/rad/sigrefs", task)) {
      const namespace = name.slice(0, -"rad/sigrefs".length);
      try {
        const root = await findRoot(repository, namespace);
        if (root === undefined || tried.has(root)) continue;
        tried.add(root);
        return (await this.evaluate(repository, root, task)).current;
      } catch (error) {
        if (!(isUnreadable(error) || error instanceof Refusal)) throw error;
      }
    }
    return undefined;
  }

  /**
   * Evaluates an identity.
   *
   * @param id Id of the first entry of the identity.
   * @throws {DamagedError} when the first entry, or the target of a reference, cannot be read.
   * @throws {Refusal} when the first entry does not initialize an identity of this repository.
   */
  async evaluate(repository: Repository, id: Oid, task: Task): Promise<Identity | EarlyIdentity> {
    return this.#rules.latestVoteCounts
      ? await this.#evaluate(repository, id, EARLY_STEPS, task)
      : await this.#evaluate(repository, id, STEPS, task);
  }

  async #evaluate<I extends Identity | EarlyIdentity>(
    repository: Repository,
    id: Oid,
    { init, apply }: Steps<I>,
    task: Task,
  ): Promise<I> {
    const rules = this.#rules;
    const refs = await resolveRefs(repository, `refs/namespaces/*/refs/cobs/${IDENTITY_TYPE}/${id}`, task);
    const graph = await loadGraph(
      (oids) => this.#reader.read(repository, oids, task),
      [...new Set(refs.map((ref) => ref.oid))],
      task,
    );
    requireFollowed(graph);
    const root = rootOf(graph, id, rules);
    const blob = await findDocBlob(repository, id);
    if (blob !== ridToOid(repository.rid)) {
      throw new Refusal("invalid", "The identity is of another repository");
    }
    const signatures = { checks: new ExactChecks(), task };
    const identity = init(root, await readSteps(repository, rules, root, undefined, signatures), blob);
    const order = orderEntries(graph, id, rules);
    let concurrency: Concurrency<IdentityAction> | undefined;
    await visitEntries(graph, order, task, async (entry, dropped) => {
      for (const step of await readSteps(repository, rules, entry, identity, signatures)) {
        apply(identity, entry, step, () => {
          concurrency ??= new Concurrency(graph, id, order, dropped);
          return concurrency.has(entry.id);
        });
      }
    });
    return identity;
  }
}

/** Returns the id of the first entry of a node's identity, or `undefined` if the entry is not found. */
async function findRoot(repository: Repository, namespace: string): Promise<Oid | undefined> {
  const root = await resolveRef(repository, `${namespace}rad/root`);
  if (root !== undefined) return root.oid;
  let id = (await resolveRef(repository, `${namespace}rad/id`))?.oid;
  for (let step = 0; id !== undefined && step < MAX_ENTRIES; step++) {
    const commit = await repository.object(id);
    if (commit?.kind !== "commit") return undefined;
    const [parent] = parseCommitHeader(commit.bytes).parents;
    if (parent === undefined) return id;
    id = parent;
  }
  return undefined;
}

/**
 * Verifies the signature of an entry. Returns the actions of the entry, each with its document and with the
 * result of verifying the signature in the action.
 */
async function readSteps(
  repository: Repository,
  rules: Rules,
  { author, signature, actions }: Entry<IdentityAction>,
  identity: Identity | EarlyIdentity | undefined,
  signatures: SignatureWork,
): Promise<readonly IdentityStep[]> {
  if (!await signature.verify(signatures.checks, signatures.task) || actions === undefined) {
    throw new Refusal("malformed", "An entry cannot be understood");
  }
  const steps: IdentityStep[] = [];
  for (const action of actions) {
    const blob = action.type === "revision"
      ? action.blob
      : action.type === "revision.accept"
      ? identity?.proposals.get(action.revision)?.blob
      : undefined;
    steps.push({
      action,
      ...action.type === "revision" ? await readDocBlob(repository, rules, action.blob) : NO_DOC,
      isSigned: blob !== undefined && "signature" in action &&
        await isSignedBy(author, blob, action.signature, rules, signatures),
    });
  }
  return steps;
}

async function readDocBlob(
  repository: Repository,
  rules: Rules,
  oid: Oid,
): Promise<Pick<IdentityStep, "doc" | "content">> {
  const found = await ifReadable(async () => {
    const blob = await repository.object(oid, { limitBytes: MAX_DOC_BYTES });
    if (blob?.kind !== "blob") return undefined;
    const doc = parseDoc(blob.bytes);
    const reading = doc.readings[rules.generation];
    if (reading === undefined) return undefined;
    const { delegates } = reading;
    return { doc: { ...doc, delegates }, content: docContent(blob.bytes, rules.generation) };
  });
  return found ?? NO_DOC;
}

async function isSignedBy(
  author: NodeId,
  blob: Oid,
  signature: Uint8Array,
  rules: Rules,
  { checks, task }: SignatureWork,
): Promise<boolean> {
  return await beginToVerify(rules.signatures, {
    publicKey: nidToPublicKey(author),
    message: oidToBytes(blob),
    signature: new Uint8Array(signature),
  }).verify(checks, task);
}
