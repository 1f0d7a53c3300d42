/**
 * Every exported function that takes bytes, a text of a body or a stream, by folder: its limit, and its worst inputs or why
 * it needs no pause. `foreign_bytes.test.ts` runs the table.
 */
import assert from "node:assert/strict";
import * as v from "valibot";
import { deflate, gzipPieces } from "../extensions/archives/deflate.ts";
import { compressed } from "../src/bytes/compressed.ts";
import { MAX_ACTION_BYTES } from "../src/cob/entry/entry.ts";
import {
  isManifest,
  MAX_ENTRY_COMMIT_BYTES,
  MAX_ENTRY_TREE_BYTES,
  MAX_MANIFEST_BYTES,
  parseEntryCommit,
  parseEntryTree,
} from "../src/cob/entry/entry_commit.ts";
import { readActionJson } from "../src/cob/entry/stored_json.ts";
import { MAX_GIT_REQUEST_BYTES } from "../extensions/git/request.ts";
import { SMALL_DIFF } from "../src/diff/budget.ts";
import {
  cutMessage,
  parseCommitHeaderInSteps,
  parseCommitInSteps,
  readPersonInSteps,
  TRIMMING,
} from "../src/git/commit.ts";
import {
  MAX_BLOB_BYTES,
  MAX_COMMIT_BYTES,
  MAX_LINK_FACTOR,
  MAX_TAG_BYTES,
  MAX_TREE_BYTES,
  READ_AT_ONCE_BYTES,
} from "../src/git/objects.ts";
import { MAX_GRAPH_BYTES } from "../src/git/commit_graph_file.ts";
import { decodeDetails, encodeDetails, MAX_DETAILS_BYTES } from "../src/git/commit_details.ts";
import { OidTable } from "../src/git/oid_table.ts";
import { decodeColumns, decodeIndex, MAX_SAVED_BYTES } from "../src/git/saved_index.ts";
import { parseTag } from "../src/git/tags.ts";
import { differingEntries, findEntry, namesAmong } from "../src/git/tree.ts";
import { startBytes, unpackSlowly } from "../src/git/unpack.ts";
import { eachPktLine, offeredOf } from "../extensions/git/pkt_line.ts";
import { hideInRequest, readUploadRequest } from "../extensions/git/upload_request.ts";
import {
  MAX_JSON_VALUES,
  MAX_PROJECT_BODY_BYTES,
  parseStrictJson,
  readBytes,
  readJson,
} from "../src/http/body.ts";
import { docContent, parseDoc } from "../src/identity/doc.ts";
import { MAX_DOC_BYTES, parseDocJson } from "../src/identity/doc_json.ts";
import { parseSigrefs } from "../src/identity/sigrefs_text.ts";
import { MAX_VERDICTS_BYTES } from "../src/identity/verdicts.ts";
import type { Oid } from "../src/ids/oid.ts";
import { decodeMultibase, MAX_MULTIBASE_LENGTH } from "../src/ids/multibase.ts";
import { MAX_KEY_FILE_BYTES, parseSecretKeyFile } from "../src/keys/secret_key_file.ts";
import { decodeFrame, MAX_AGENT_MESSAGE_BYTES } from "../src/keys/ssh_agent.ts";
import { MAX_CATALOGUE_BYTES } from "../extensions/replicas/format/catalogue.ts";
import { MAX_PACK_BYTES, MAX_PACK_OBJECTS } from "../extensions/replicas/format/manifest.ts";
import {
  BLOCK_BYTES,
  BLOCK_DIGEST_BYTES,
  digestsOfBlocks,
  encodeOffsetTable,
  OffsetTable,
  offsetTableBytes,
  PACK_HEADER_BYTES,
} from "../extensions/replicas/format/offset_table.ts";
import { MAX_FACTS_PAGE_BYTES } from "../extensions/replicas/format/node_snapshot.ts";
import { decodeReferences, MAX_REFERENCES_BYTES } from "../extensions/replicas/format/references.ts";
import { runSync, Task } from "../src/scheduling/task.ts";
import { MAX_OBJECT_BYTES } from "../extensions/search/texts.ts";
import { MAX_QUERY_CHARACTERS } from "../extensions/search/words.ts";
import { MAX_MESSAGE_LENGTH, parseSignInMessage } from "../src/session/sign_in_message.ts";
import { MAX_STORED_LENGTH } from "../src/session/stored_session.ts";
import { MAX_CONFIG_BYTES } from "../src/storage/home/writable_repository.ts";
import { applyDeltaInSteps, DELTA_START_BYTES, DELTA_STEP_BYTES } from "../src/git/pack/delta.ts";
import { number7 } from "./storage/home/pack_builder.ts";
import { readDataUri } from "../src/text/data_uri.ts";
import { decodeFromInSteps } from "../src/text/encodings.ts";
import { decodeInSteps } from "../src/text/utf8.ts";
import { indexJson } from "../src/text/json_index.ts";
import { readJsonInSteps } from "../src/text/json_reader.ts";
import { skipEnd, skipStart, trimInSteps } from "../src/text/white_space.ts";
import {
  asBytes,
  ascii,
  beyond,
  budget,
  BUILDER,
  bytes,
  COMMITS,
  count,
  filled,
  fixed,
  FRAMES,
  JSONS,
  KiB,
  LIMITS,
  NAME,
  native,
  own,
  part,
  pauses,
  post,
  RID,
  type Row,
  RULES,
  savedColumns,
  short,
  steps,
  streams,
  texts,
  TREES,
  zeros,
} from "./foreign_rows.ts";

const savedRow = (call: (saved: Uint8Array, task: Task) => Promise<unknown>): Row => ({
  limit: MAX_SAVED_BYTES,
  runs: [async (size) => {
    const saved = await savedColumns(size);
    count.places = 0;
    assert.ok(await call(saved, new Task()));
    return saved.length;
  }],
});

/** Deltas that are nothing but pieces of so many bytes. */
const inserts = (length: number) => (size: number) => {
  const count = Math.floor(size / (length + 1));
  const sizes = [0, ...number7(count * length)];
  const input = new Uint8Array(sizes.length + count * (length + 1)).fill(length);
  input.set(sizes);
  return { input, bytes: input.length };
};

const BY_ENTRY = "cob/entry/entry_commit.ts refuses longer commits";
const BY_PLACE = "a worker takes files with more: diff/budget.ts";
const BY_WORKER = "a worker compares lines that need libgit2: diff/budget.ts";
const BY_HEAD = "in the head of a request, which hosts limit to some 16 KiB";
const BY_PATH = "a path of a request; each tree on it is one place or more";
const BY_TREE = "one entry, of which git writes 4 KiB; all are walked by git/tree.ts in steps";
const PUBLISHER =
  "made by one's own publisher, and sealed by a digest; JSON.parse and valibot: 5 to 30 ms a MiB";
const BY_PUBLISHER =
  "in the publisher's process, where nobody waits: extensions/replicas/publisher/pack_publication.ts";
const MESSAGE = [
  `a wants you to sign in with your Ethereum account:\n0x${zeros}\n\n`,
  "a",
  "\n\nURI: a:\nVersion: 1\nChain ID: 1\nNonce: aaaaaaaa\nIssued At: 2026-01-01T00:00:00Z",
] as const;
const OF_NODE = "this program's own answer";
const CRYPTO = "WebCrypto, in other threads";

export const TABLE: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  "extensions/archives": {
    deflate: pauses(MAX_BLOB_BYTES, (input: Uint8Array) => deflate(input, new Task()), bytes("", "\0")),
    gzipPieces: pauses(
      MAX_BLOB_BYTES,
      async (input: Uint8Array) => {
        async function* one() {
          yield input;
        }
        for await (const _ of gzipPieces(one(), new Task()));
      },
      bytes("", "\0"),
    ),
    "Pieces.add": own("gathers references to parts"),
  },
  bytes: {
    viewOf: fixed(0, "a view"),
    compressed: own("CompressionStream"),
    decompressed: native(MAX_VERDICTS_BYTES, "DecompressionStream, in other threads on most runtimes"),
    decompressedJson: beyond(
      MAX_VERDICTS_BYTES,
      "saved by this program or one's own publisher; JSON.parse: 5 ms a MiB",
    ),
    isSameBytes: native(
      MAX_BLOB_BYTES,
      "a comparison: 1 ms a MiB; keys, and the node's own signed references",
    ),
    joinBytes: native(MAX_BLOB_BYTES, "copies: 0.2 ms a MiB"),
    releaseBytes: fixed(0, "frees memory"),
  },
  "cob/entry": {
    parseEntryCommit: short(MAX_ENTRY_COMMIT_BYTES, (size) => parseEntryCommit(new Uint8Array(size), RULES)),
    parseEntryTree: short(MAX_ENTRY_TREE_BYTES, (size) => parseEntryTree(new Uint8Array(size))),
    isManifest: short(
      MAX_MANIFEST_BYTES,
      (size) =>
        runSync(isManifest(ascii(filled('{"typeName":"a","version":1', " ", "}", size)))) || undefined,
    ),
    parseSshSignature: short(MAX_ENTRY_COMMIT_BYTES, BY_ENTRY),
    parseTrailers: short(MAX_ENTRY_COMMIT_BYTES, BY_ENTRY),
    readStoredOid: fixed(41, "anchored expressions of 40 digits"),
    readActionJson: pauses(
      MAX_ACTION_BYTES,
      steps(readActionJson),
      ...JSONS(MAX_ACTION_BYTES / 2).map(asBytes),
      bytes("[", "[],", "1]"),
    ),
    readManifestJson: short(MAX_MANIFEST_BYTES, "cob/entry/entry_commit.ts"),
  },
  derived: { toFile: native(MAX_SAVED_BYTES, CRYPTO), readFile: native(MAX_SAVED_BYTES, CRYPTO) },
  diff: {
    isBinary: fixed(8000, "a probe"),
    readLineMarks: beyond(MAX_BLOB_BYTES, BY_WORKER),
    readStatus: short(SMALL_DIFF.renameBytes, BY_PLACE),
    hashesOf: short(SMALL_DIFF.renameBytes, BY_PLACE),
    splitLines: short(SMALL_DIFF.blobBytes, BY_PLACE),
    countLines: short(SMALL_DIFF.blobBytes, BY_PLACE),
    slideGroups: short(SMALL_DIFF.blobBytes, BY_PLACE),
  },
  "diff_service/render": {
    "JsonBytes.write": own("JSON's own signs"),
    "JsonBytes.writeBytes": short(SMALL_DIFF.blobBytes, BY_PLACE),
    "JsonBytes.writeString": short(SMALL_DIFF.blobBytes, BY_PLACE),
    isAscii: short(SMALL_DIFF.blobBytes, BY_PLACE),
    isUtf8: short(SMALL_DIFF.blobBytes, BY_PLACE),
  },
  git: {
    "PackEntries.start": fixed(320, "room for what is unpacked"),
    readDeltaSizes: fixed(DELTA_START_BYTES, "two numbers"),
    applyDelta: beyond(
      READ_AT_ONCE_BYTES,
      "copies: 1 ms a MiB; git/pack/pack.ts reads larger objects in steps",
    ),
    applyDeltaInSteps: {
      ...pauses(
        MAX_LINK_FACTOR * MAX_BLOB_BYTES,
        steps((input: Uint8Array) => applyDeltaInSteps(new Uint8Array(), input)),
        inserts(1),
        inserts(127),
      ),
      bound: DELTA_STEP_BYTES,
    },
    parseCommitHeader: beyond(MAX_COMMIT_BYTES, "one commit; 100,000 parents: some 10 ms"),
    parseCommitInSteps: pauses(MAX_COMMIT_BYTES, steps(parseCommitInSteps), ...COMMITS),
    readPlainHeader: fixed(320, "the start of a commit"),
    parseCommitHeaderInSteps: pauses(
      MAX_COMMIT_BYTES,
      steps(parseCommitHeaderInSteps),
      ...COMMITS.slice(0, 2),
    ),
    cutMessage: pauses(
      MAX_COMMIT_BYTES,
      steps(cutMessage),
      ...["\n", " ", "a\n", "a \n"].map((line) => texts("", line)),
      texts("a\n\nb", " "),
    ),
    readPerson: beyond(MAX_COMMIT_BYTES, "one line, for git/commit_tables.ts: see there"),
    readPersonInSteps: pauses(
      MAX_COMMIT_BYTES,
      steps((line: string) => readPersonInSteps(line, TRIMMING)),
      texts("", " "),
    ),
    trimPerson: own("the alias of this node"),
    addAuthors: fixed(2 ** 16, "hashes of authors; git/commit_tables.ts pauses after each 2,048"),
    "AuthorTable.numberOf": beyond(
      MAX_COMMIT_BYTES,
      "one line of a history; blanks and SHA-1: 10 ms a MiB, 50 ms at most",
    ),
    isGitCommit: fixed(256 * KiB, "the longest header of libgit2"),
    readGitTree: fixed(256 * KiB, "the longest header of libgit2"),
    readGitTag: fixed(256 * KiB, "the longest header of libgit2"),
    parseTag: pauses(
      MAX_TAG_BYTES,
      steps(parseTag),
      bytes(`object ${zeros}\n\n`, "a"),
      bytes(`object ${zeros}\ntagger `, " ", "> 1\n"),
    ),
    TreeCursor: part(MAX_TREE_BYTES, BY_TREE),
    "TreeCursor.isNamed": part(MAX_TREE_BYTES, BY_TREE),
    compareNames: part(MAX_TREE_BYTES, BY_TREE),
    isEntryName: part(MAX_TREE_BYTES, BY_TREE),
    hashName: part(MAX_TREE_BYTES, BY_TREE),
    graphInMemory: native(MAX_GRAPH_BYTES, "copies the parts that are read"),
    hashPath: part(64 * KiB, BY_HEAD),
    parseTree: short(MAX_ENTRY_TREE_BYTES, "cob/entry/entry_commit.ts and identity/identity.ts"),
    parseTreeLikeGit: short(MAX_ENTRY_TREE_BYTES, "cob/entry/entry_commit.ts and identity/identity.ts"),
    differingEntries: pauses(
      MAX_TREE_BYTES,
      // Both trees count; so does the copy, of which no id is equal.
      (input: Uint8Array) => {
        const other = input.map((byte) => byte === 0x78 ? 0x79 : byte);
        for (const pair of [...differingEntries(input, other)]) if (pair === undefined) count.places++;
      },
      ...TREES.map((make) => (size: number) => {
        const { input, bytes } = make(size);
        return { input, bytes: 2 * bytes };
      }),
    ),
    namesAmong: pauses(
      MAX_TREE_BYTES,
      (input: Uint8Array) => namesAmong(input, ["README"], new Task()),
      ...TREES,
    ),
    findEntry: pauses(MAX_TREE_BYTES, (input: Uint8Array) => findEntry(input, NAME, new Task()), ...TREES),
    findPath: part(64 * KiB, BY_PATH),
    pathReader: part(64 * KiB, BY_PATH),
    findLastCommit: part(64 * KiB, BY_PATH),
    isIn: fixed(1, "a bit"),
    parseConfig: short(MAX_CONFIG_BYTES, "storage/home/writable_repository.ts"),
    hashObject: own("SHA-1 of what this program writes, and of texts that are bounded already"),
    "ObjectBatch.add": own("objects that this program writes"),
    "OidTable.append": pauses(
      MAX_SAVED_BYTES,
      (input: Uint8Array) => new OidTable().append(input, new Task()),
      (size) => {
        const words = Uint32Array.from({ length: 5 * Math.floor(size / 20) }, (_, i) => i);
        return { input: new Uint8Array(words.buffer), bytes: 4 * words.length };
      },
    ),
    "OidTable.add": fixed(20, "an id"),
    "OidTable.rowOf": fixed(20, "an id"),
    "CommitColumns.add": fixed(20, "an id"),
    "CommitColumns.rowOf": fixed(20, "an id"),
    decodeDetails: {
      limit: MAX_DETAILS_BYTES,
      runs: [async (size) => {
        const commits = Math.floor(size / 7);
        const details = {
          authors: new Uint32Array(commits),
          authorHashes: new Uint8Array(20),
          listings: new Uint8Array(commits),
          hashes: new Uint32Array(0),
          pathEnds: new Uint32Array(commits),
        };
        const packed = await encodeDetails(details, Task.unbroken());
        count.places = 0;
        await decodeDetails(packed!, commits, new Task());
        return 7 * commits;
      }],
    },
    decodeColumns: savedRow((saved, task) => decodeColumns(RID, saved, task)),
    decodeIndex: savedRow((saved, task) => decodeIndex(RID, saved, task)),
    unpackStart: fixed(startBytes(320), "the start of a stream"),
    unpackSlowly: {
      limit: MAX_BLOB_BYTES,
      runs: ["\0", "0123456789abcdef"].map((unit) => async (size) => {
        const packed = await compressed(ascii(filled("", unit, "", size)));
        count.places = 0;
        return (await unpackSlowly(packed, Math.floor(size / unit.length) * unit.length, new Task())).length;
      }),
    },
  },
  "extensions/git": {
    offeredOf: pauses(MAX_GIT_REQUEST_BYTES, (input: Uint8Array) => offeredOf(input, new Task()), ...FRAMES),
    withHead: native(MAX_GIT_REQUEST_BYTES, "the first two frames; the rest is copied"),
    pktLine: own("a line"),
    pktFrame: own("a line"),
    eachPktLine: pauses(
      MAX_GIT_REQUEST_BYTES,
      (input: Uint8Array) => eachPktLine(input, new Task()),
      ...FRAMES,
    ),
    contentOf: fixed(65_520, "the longest frame: extensions/git/pkt_line.ts"),
    endOfFrame: fixed(4, "a length"),
    readUploadRequest: pauses(
      MAX_GIT_REQUEST_BYTES,
      (input: Uint8Array) => readUploadRequest(input, new Task()),
      ...FRAMES,
    ),
    hideInRequest: pauses(
      MAX_GIT_REQUEST_BYTES,
      async (input: Uint8Array<ArrayBuffer>) => {
        const request = await readUploadRequest(input, new Task());
        count.places = 0;
        const isShown = () => false;
        await hideInRequest(
          input,
          { ...request, prefixes: Infinity },
          2,
          { isShown, excluded: new Map() },
          new Task(),
        );
      },
      ...FRAMES,
    ),
  },
  http: {
    normalizeBasePath: own("an option"),
    entityTag: own("a tag of an answer"),
    isMediaType: short(64 * KiB, BY_HEAD),
    isEnvelopeType: short(64 * KiB, BY_HEAD),
    decodePercent: short(64 * KiB, BY_HEAD),
    BodyBudget: own("a limit"),
    HttpError: own("a message"),
    bodyTooLarge: own("an error"),
    checkDeclaredLength: fixed(64, "a number"),
    readJson: {
      limit: MAX_PROJECT_BODY_BYTES,
      runs: JSONS(MAX_JSON_VALUES).map((make) => async (size) => {
        const { input, bytes } = make(size);
        const headers = { "content-type": "application/json" };
        count.places = 0;
        await readJson(
          post(streams[1]!(ascii(input)), headers),
          v.looseObject({}),
          size,
          new Task(),
          budget(),
        );
        return bytes;
      }),
    },
    parseStrictJson: pauses(MAX_PROJECT_BODY_BYTES, steps(parseStrictJson), ...JSONS(MAX_JSON_VALUES)),
    readBytes: {
      limit: MAX_GIT_REQUEST_BYTES,
      runs: streams.map((stream) => async (size) => {
        const packing = new Response(new Uint8Array(size)).body!.pipeThrough(new CompressionStream("gzip"));
        const packed = new Uint8Array(await new Response(packing).arrayBuffer());
        count.places = 0;
        return (await readBytes(post(stream(packed), { "content-encoding": "gzip" }), size, budget())).length;
      }),
    },
    receiveBody: part(MAX_GIT_REQUEST_BYTES, "chunks as they arrive, of which it counts the bytes"),
    jsonText: own(OF_NODE),
    arrayOfTexts: own(OF_NODE),
    errorAnswer: own(OF_NODE),
    textAnswer: own(OF_NODE),
    bytesAnswer: own(OF_NODE),
    "StreamCopies.copy": own(OF_NODE),
  },
  identity: {
    parseDoc: short(MAX_DOC_BYTES, (size) => parseDoc(new Uint8Array(size))),
    tryParseDoc: short(MAX_DOC_BYTES, "identity/doc.ts"),
    docContent: short(MAX_DOC_BYTES, (size) => docContent(new Uint8Array(size), "newest")),
    parseDocJson: short(MAX_DOC_BYTES, (size) => parseDocJson(new Uint8Array(size))),
    parseSigrefs: pauses(
      MAX_BLOB_BYTES,
      (input: Uint8Array) => parseSigrefs(input, { oids: "full", judgesHistory: false }, new Task()),
      bytes("", `${"1".repeat(40)} refs/a\n`),
      bytes("", `${"1".repeat(40)} refs/${"a".repeat(4000)}\n`),
    ),
    decodeVerdicts: beyond(MAX_VERDICTS_BYTES, "derived by one's own publisher; JSON.parse and valibot"),
  },
  ids: {
    hasDigitsOnly: short(64 * KiB, BY_HEAD),
    parseCommitish: short(64 * KiB, BY_HEAD),
    parseDid: short(MAX_MULTIBASE_LENGTH + 8, "ids/multibase.ts refuses longer ones"),
    tryParseDid: short(MAX_MULTIBASE_LENGTH + 8, "ids/multibase.ts refuses longer ones"),
    decodeMultibase: short(MAX_MULTIBASE_LENGTH, (size) => decodeMultibase(filled("\0", "a", "", size))),
    encodeMultibase: own("a key or an id"),
    parseNid: short(MAX_MULTIBASE_LENGTH, "ids/multibase.ts refuses longer ones"),
    tryParseNid: short(MAX_MULTIBASE_LENGTH, "ids/multibase.ts refuses longer ones"),
    parseRid: short(MAX_MULTIBASE_LENGTH + 4, "ids/multibase.ts refuses longer ones"),
    tryParseRid: short(MAX_MULTIBASE_LENGTH + 4, "ids/multibase.ts refuses longer ones"),
    formatNid: fixed(32, "a key"),
    formatRid: fixed(20, "an id"),
    isOid: fixed(41, "an anchored expression of 40 digits"),
    parseOid: fixed(41, "an anchored expression of 40 digits"),
    parseRefPattern: short(64 * KiB, BY_HEAD),
    oidFromBytes: fixed(20, "an id"),
    readDigits: fixed(40, "the digits of an id"),
    writeOid: fixed(20, "an id"),
  },
  keys: {
    hasCanonicalScalar: fixed(64, "a signature"),
    importEd25519: fixed(32, "a key"),
    importPublicKey: fixed(32, "a key"),
    isOddKey: fixed(32, "a key"),
    isWeakKey: fixed(32, "a key"),
    signVerified: own("what this node signs"),
    deriveKey: own("a passphrase of the operator; it pauses after each round"),
    encodePublicBlob: fixed(32, "a key"),
    encodeSignRequest: own("what this node signs"),
    parseSecretKeyFile: short(MAX_KEY_FILE_BYTES, (size) => parseSecretKeyFile(new Uint8Array(size))),
    SshReader: short(MAX_AGENT_MESSAGE_BYTES, "keys/ssh_agent.ts and keys/secret_key_file.ts"),
    decodePublicBlob: short(MAX_AGENT_MESSAGE_BYTES, "keys/ssh_agent.ts and keys/secret_key_file.ts"),
    decodeIdentities: short(MAX_AGENT_MESSAGE_BYTES, "keys/ssh_agent.ts"),
    decodeSignature: short(MAX_AGENT_MESSAGE_BYTES, "keys/ssh_agent.ts"),
    decodeFrame: short(MAX_AGENT_MESSAGE_BYTES, (size) => {
      const frame = new Uint8Array(size + 4);
      new DataView(frame.buffer).setUint32(0, size);
      return decodeFrame(frame);
    }),
  },
  profile: {
    parseConfig: own("config.json of the operator"),
    isAlias: own("the name of the operator"),
    nodeIdOfPublicKey: own("the node's own key"),
  },
  "extensions/replicas/format": {
    PrefixFilter: short(64 * KiB, "extensions/replicas/format/catalogue.ts"),
    encodeOffsetTable: own("the digests of a pack that the publisher has made"),
    digestOfBlock: native(BLOCK_BYTES, CRYPTO),
    digestsOfBlocks: pauses(
      MAX_PACK_BYTES,
      (input: Uint8Array) => digestsOfBlocks(input, new Task()),
      bytes("", "x"),
    ),
    "OffsetTable.decode": pauses(
      offsetTableBytes(BLOCK_BYTES, MAX_PACK_OBJECTS),
      steps((input: Uint8Array) =>
        OffsetTable.decode(input, BLOCK_BYTES, (input.length - offsetTableBytes(BLOCK_BYTES, 0)) / 8)
      ),
      (size) => {
        const objects = Math.floor(size / 8);
        const input = encodeOffsetTable(
          [new Uint8Array(BLOCK_DIGEST_BYTES)],
          Array.from({ length: objects }, (_, i) => ({
            oid: i.toString(16).padStart(8, "0").padEnd(40, "0") as Oid,
            offset: PACK_HEADER_BYTES + i % 2 ** 17,
          })),
        );
        return { input, bytes: input.length };
      },
    ),
    "OffsetTable.isBlock": native(BLOCK_BYTES, CRYPTO),
    decodePage: beyond(MAX_FACTS_PAGE_BYTES, PUBLISHER),
    derivedDataOf: short(
      16 * KiB,
      "extensions/replicas/format/manifest.ts: parts of a manifest are decoded; others are read",
    ),
    inlineOf: short(4 * KiB, "extensions/replicas/publisher/derived_publication.ts"),
    decodeSealed: beyond(MAX_CATALOGUE_BYTES, PUBLISHER),
    sealedDocument: beyond(MAX_CATALOGUE_BYTES, PUBLISHER),
    decodeReferences: pauses(
      MAX_REFERENCES_BYTES,
      steps(decodeReferences),
      ...[8, 4000].map((length) => (size: number) => {
        const count = Math.floor(size / (length + 47));
        const name = (i: number) => `refs/${i.toString(36).padStart(length, "0")}`;
        const input = ascii(Array.from({ length: count }, (_, i) => `${zeros} ${name(i)}\n`).join(""));
        return { input, bytes: input.length };
      }),
    ),
    digestOfReferences: beyond(MAX_REFERENCES_BYTES, BY_PUBLISHER),
    sha256Of: beyond(MAX_REFERENCES_BYTES, "SHA-256: 5 ms a MiB; packed references have some MiB"),
    sha256OfLong: native(MAX_REFERENCES_BYTES, CRYPTO),
    digestOf: beyond(MAX_REFERENCES_BYTES, "SHA-256: 5 ms a MiB"),
  },
  "extensions/search": {
    SearchIndexError: own("a message"),
    toIndexed: short(MAX_OBJECT_BYTES, "extensions/search/texts.ts"),
    fromIndexed: short(MAX_OBJECT_BYTES, "extensions/search/texts.ts"),
    excerptOf: short(MAX_OBJECT_BYTES, "extensions/search/texts.ts"),
    wordsOf: short(MAX_QUERY_CHARACTERS, "extensions/search/routes.ts"),
  },
  session: {
    parseSignInMessage: short(MAX_MESSAGE_LENGTH, (size) => parseSignInMessage(filled(...MESSAGE, size))),
    isMessageWithNonce: short(MAX_MESSAGE_LENGTH, "session/sign_in_message.ts"),
    recoverSigner: short(MAX_MESSAGE_LENGTH, "session/wallet_sign_in.ts"),
    parseTimestamp: short(MAX_MESSAGE_LENGTH, "session/sign_in_message.ts"),
    isDomain: own("an option"),
    "OwnerProofs.check": short(64 * KiB, BY_HEAD),
    storedKey: short(MAX_STORED_LENGTH, "session/stored_session.ts"),
  },
  storage: {
    "DraftFile.create": own("written"),
    RefFiles: own("a parameter of this name holds no bytes"),
  },
  text: {
    digest: own("a key of a cache"),
    "TextDigest.add": own("a key of a cache"),
    decodeInSteps: pauses(
      MAX_BLOB_BYTES,
      steps((input: Uint8Array) => decodeInSteps(input, new TextDecoder())),
      bytes("", "a"),
    ),
    decodeFromInSteps: pauses(
      MAX_COMMIT_BYTES,
      steps((input: Uint8Array) => decodeFromInSteps(input, "ISO-2022-JP")),
      bytes("", "\x1b$BF|"),
      bytes("", "a"),
    ),
    parseInteger: beyond(MAX_COMMIT_BYTES, "one line of a commit: one regular expression, 1 ms a MiB"),
    indexJson: pauses(
      MAX_ACTION_BYTES,
      steps((text: string) => indexJson(text, LIMITS)),
      // White space in a row is one call of a regular expression: 2 ms a MiB.
      ...JSONS(MAX_ACTION_BYTES / 2),
      texts("0.", "1"),
    ),
    readDataUri: pauses(
      MAX_PROJECT_BODY_BYTES,
      steps(readDataUri),
      texts("data:,", "a"),
      texts("data:,", "%41"),
      texts("data:;base64,", "AAAA"),
      texts("data:;base64,", "%41%41%41%41"),
    ),
    readJson: short(MAX_DOC_BYTES, "identity/doc_json.ts"),
    readJsonInSteps: pauses(
      MAX_PROJECT_BODY_BYTES,
      steps((text: string) => readJsonInSteps(text, BUILDER, LIMITS)),
      ...JSONS(MAX_JSON_VALUES),
    ),
    textParts: own(OF_NODE),
    trimWhiteSpace: short(MAX_ENTRY_COMMIT_BYTES, BY_ENTRY),
    trimInSteps: pauses(MAX_COMMIT_BYTES, steps(trimInSteps), texts("", " "), texts("a", " ")),
    skipStart: pauses(MAX_COMMIT_BYTES, steps((text: string) => skipStart(text, () => true)), texts("", " ")),
    skipEnd: pauses(MAX_COMMIT_BYTES, steps((text: string) => skipEnd(text, () => true)), texts("", " ")),
  },
};
