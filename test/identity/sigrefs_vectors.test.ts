/** Signed references of the real programs' own tests and examples, byte for byte. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { encodeCommit, encodeTree } from "../../src/git/encode.ts";
import { MODE } from "../../src/git/tree.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { signRefs } from "../../src/identity/sigrefs_writer.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { signerOf } from "../support/keys.ts";
import { ALICE, putBlob } from "../support/world.ts";
import { fullName, TIME_SECONDS } from "./namespace.ts";

const encoder = new TextEncoder();

describe("the signed references of the real programs' own tests", () => {
  const SEED_KEY = "ff".repeat(32);
  const CONTRIBUTOR_KEY = "ff".repeat(31) + "ee";

  /** Sets references of the namespace and signs them, in steps; returns what each step has signed. */
  async function signSteps(
    repository: MemoryRepository,
    key: string,
    generation: HomeGeneration,
    steps: readonly Readonly<Record<string, string>>[],
  ): Promise<Oid[]> {
    const signer = await signerOf(key);
    const nid = signer.nodeId;
    const signed: Oid[] = [];
    for (const refs of steps) {
      for (const [name, oid] of Object.entries(refs)) repository.setRef(fullName(nid, name), oid as Oid);
      signed.push(await signRefs(repository, { nid, signer, timeSeconds: TIME_SECONDS, generation }));
    }
    return signed;
  }

  const hello: Readonly<
    Record<string, [rid: RepoId, key: string, id: string, issue: string, patch: string, signed: string[]]>
  > = {
    "the service": [
      "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
      SEED_KEY,
      "264a9cda82b66f746614d1a7ff76c53e72c6d2dc",
      "45d118885b6b06360ee539573f5ceb24be2979f8",
      "7b6483ab13d2775af7a923f6f40699de2d827807",
      ["feece583", "1854e664", "e042adf8", "d1100d3cd68e143e43e5a14060d17bea7cb61424"],
    ],
    "the service, as a contributor": [
      "rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG",
      CONTRIBUTOR_KEY,
      "9d35d0db8d62ddd5999cab83e2623b908e035b66",
      "d11b03464c9bf58b09460713c8e2c74f0725d3bd",
      "89ddf1bf50a6e98f41372e8d554b4ac8e37e7d36",
      ["3ee7a627", "66c0a46c", "9f9cd41e", "85ee36be215ad274078da6c10642757bcc572071"],
    ],
  };
  for (const [name, [rid, key, id, issue, patch, expected]] of Object.entries(hello)) {
    it(`of ${name}: created, pushed, an issue and a patch opened`, async () => {
      const signed = await signSteps(createMemoryStorage().create(rid), key, "2024", [
        { [`refs/cobs/xyz.radicle.id/${id}`]: id },
        { "refs/heads/master": "e8c676b9e3b42308dc9d218b70faa5408f8e58ca", "refs/rad/id": id },
        { [`refs/cobs/xyz.radicle.issue/${issue}`]: issue },
        { [`refs/cobs/xyz.radicle.patch/${patch}`]: patch },
      ]);
      assert.deepEqual(signed.map((oid, i) => oid.slice(0, expected[i]!.length)), expected);
    });
  }

  describe("of rad inspect", () => {
    const ID = "0656c217f917c3e06234771e9ecae53aba5e173e";
    const CREATED = { [`refs/cobs/xyz.radicle.id/${ID}`]: ID };
    const PUSHED = { "refs/heads/master": "f2de534b5e81d7c6e2dcaf58c3dd91573c0a0354", "refs/rad/id": ID };
    let repository: MemoryRepository;

    beforeEach(() => {
      repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
      assert.equal(putIdentity(repository), ID);
      repository.setRef("refs/rad/id", ID as Oid);
    });

    for (const generation of ["2024", "0.10"] as const) {
      it(`as the programs of ${generation} make them`, async () => {
        assert.deepEqual(await signSteps(repository, SEED_KEY, generation, [CREATED, PUSHED]), [
          "9abdf424a45dce5e6c9acd72d9bf532482c3a169",
          "f209c9f68aa689af24220a20462e13ee9dfb2a95",
        ]);
      });
    }

    it("as the newest programs make them", async () => {
      const signed = await signSteps(repository, SEED_KEY, "newest", [{ ...CREATED, ...PUSHED }]);
      assert.deepEqual(signed, ["99c549702e2bcfe02b0e68d4a2224fb7a1524529"]);
      assert.equal(repository.ref(fullName(ALICE, "refs/rad/root"))?.oid, ID);
    });
  });
});

/** The identity commit of that example, part by part. */
function putIdentity(repository: MemoryRepository): Oid {
  const put = (text: string) => putBlob(repository, text);
  const file = (name: string, oid: Oid, mode: number = MODE.blob) => ({
    mode,
    name: encoder.encode(name),
    oid,
  });
  const doc =
    `{"delegates":["did:key:${ALICE}"],"payload":{"xyz.radicle.project":{"defaultBranch":"master","description":"Radicle Heartwood Protocol & Stack","name":"heartwood"}},"threshold":1}`;
  const action =
    `{"blob":"d96f425412c9f8ad5d9a9a05c9831d0728e2338d","parent":null,"signature":"z5nGqUvrmfiSyLjNCHWTWYvVMcPUZcvo9TxPKzEKXYBdSgUzbrqf1cYsmpGgbQvYunnsrLSsubEmxZaRdKM4quqQR","title":"Initial revision","type":"revision"}`;
  const embeds = repository.put("tree", encodeTree([file("radicle.json", put(doc))]));
  const tree = repository.put(
    "tree",
    encodeTree([
      file("0", put(action)),
      file("embeds", embeds, MODE.tree),
      file("manifest", put(`{"typeName":"xyz.radicle.id","version":1}`)),
    ]),
  );
  return repository.put(
    "commit",
    encodeCommit({
      tree,
      parents: [],
      author: { name: "alice", email: `alice@${ALICE}` },
      timeSeconds: TIME_SECONDS,
      signature: `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgdqFZIESm5PURJlvKc6YE2QsFKd
HfYCvjChmpJXZg0fUAAAAHcmFkaWNsZQAAAAAAAAAGc2hhMjU2AAAAUwAAAAtzc2gtZWQy
NTUxOQAAAEDZoOiyx2GaJXNivzp6OB8S8GQ/7MFekBQ38dwzcLGcjxhXHONCj+/Cn1orQH
Ol6h+vzae60aOExB0IymepvuYJ
-----END SSH SIGNATURE-----`,
      message: "Initialize identity",
    }),
  );
}
