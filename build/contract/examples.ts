/**
 * Real requests and answers of the demo home, in JSON, by the names of routes. Made by
 * `node test/contract/record_examples.ts`.
 */

/** A request's body, and an answer: JSON, or text of a file. */
export interface Example {
  readonly request?: string;
  readonly answer: string;
}

/** An example for each route. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  authorizeSession: {
    request:
      '{"sig":"z5QJsiCZ652ni7iFUQi7T6NUyuHuRoSu4s5reSwn95FBD5JNFaWeMPrhqZEbvozWTvSQTpsDrXf3rtPEvCoVxzQE3","pk":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5"}',
    answer: '{"success":true}',
  },
  authorizeWalletSession: {
    request:
      '{"message":"localhost:8080 wants you to sign in with your Ethereum account:\\n0x4a62316623ad457F02cDC5D997deD67a383EC569\\n\\nSign in to your node.\\n\\nURI: http://localhost:8080\\nVersion: 1\\nChain ID: 1\\nNonce: 90RjBnncu6B\\nIssued At: 2023-01-27T09:05:03.250Z","signature":"0xeedd7b52468fc9fbaf36874a3c49a436facb0bfdde879a3b9ca7311e420a32ed01a54476a72ece60a7f6904dd4898953021f6863dfa2d628bdb3ff3e0ac7e1181b"}',
    answer:
      '{"id":"a710ee043c0c293d0ed76e0b8eef184eaae6e799bb7aba6367ec137b254b29c3","session":{"domain":"localhost","address":"0x4a62316623ad457f02cdc5d997ded67a383ec569","statement":null,"uri":"http://localhost:8080","version":1,"chainId":1,"nonce":"90RjBnncu6B","issuedAt":"2023-01-27 9:05:03.25 +00:00:00","expirationTime":null,"resources":[]}}',
  },
  changeIssue: {
    request: '{"type":"comment","body":"Twice a week.","replyTo":"e06a3571af162725f2771ec8ff36924c15208c41"}',
    answer: '{"success":true,"id":"f4511042b41e98874380a9518243700c28192b59"}',
  },
  changePatch: {
    request:
      '{"type":"review","revision":"c510c8722715492adeb0f26793b0504bcc0909b9","summary":"They sing, too.","verdict":"accept"}',
    answer: '{"success":true,"id":"24b2fb5ef97c00b72abb7b6c549587f9eb8b1950"}',
  },
  changeRepoIssue: {
    request: '{"type":"label","labels":["care","trees"]}',
    answer: '{"success":true,"id":"03bcbdf6405361680a81f2968a94ca5e8ee2d539"}',
  },
  changeRepoPatch: {
    request: '{"type":"edit","title":"Move the maple","target":{"branch":"refs/heads/main"}}',
    answer: '{"success":true,"id":"794fb26f5ec66fb20bc22bb5979e3735061d9eea"}',
  },
  compareCommits: {
    answer:
      '{"diff":{"added":[],"deleted":[],"moved":[{"oldPath":"GUIDE.md","newPath":"docs/guide.md","current":{"oid":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","mode":"blob"}},{"oldPath":"plan.txt","newPath":"docs/plan.txt","current":{"oid":"7ee616d6acb37081f3fc27ae436c83764c59ad17","mode":"blob"}}],"copied":[],"modified":[],"stats":{"filesChanged":2,"insertions":0,"deletions":0}},"files":{"1e9f641a0e38548bc168c863bc7503edb7fb7dc2":{"id":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","binary":false,"content":"# How to grow a tree\\n\\n1. Plant a seed.\\n2. Wait a year.\\n3. Count the rings. There should be one.\\n\\nThen go back to the second step.\\n\\n| Tree | Years until shade |\\n|------|-------------------|\\n| lime | 12 |\\n| oak  | 30 |\\n| yew  | ask your grandchildren |\\n"},"7ee616d6acb37081f3fc27ae436c83764c59ad17":{"id":"7ee616d6acb37081f3fc27ae436c83764c59ad17","binary":false,"content":"Seasons\\nLeaves\\nBirds, once there is room\\n"}},"commits":[{"id":"fafec6ca73acb30acb576500b21bf5fd032b989e","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Move the guide into a folder of its own","description":"","parents":["4d6098be100e8c2dea3ac4373b1aee821ac7ba33"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1779232200}}]}',
  },
  compareRepoCommits: {
    answer:
      '{"diff":{"files":[{"status":"moved","oldPath":"GUIDE.md","newPath":"docs/guide.md","current":{"oid":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","mode":"blob"}},{"status":"moved","oldPath":"plan.txt","newPath":"docs/plan.txt","current":{"oid":"7ee616d6acb37081f3fc27ae436c83764c59ad17","mode":"blob"}}],"stats":{"filesChanged":2,"insertions":0,"deletions":0}},"files":{"1e9f641a0e38548bc168c863bc7503edb7fb7dc2":{"id":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","binary":false,"content":"# How to grow a tree\\n\\n1. Plant a seed.\\n2. Wait a year.\\n3. Count the rings. There should be one.\\n\\nThen go back to the second step.\\n\\n| Tree | Years until shade |\\n|------|-------------------|\\n| lime | 12 |\\n| oak  | 30 |\\n| yew  | ask your grandchildren |\\n"},"7ee616d6acb37081f3fc27ae436c83764c59ad17":{"id":"7ee616d6acb37081f3fc27ae436c83764c59ad17","binary":false,"content":"Seasons\\nLeaves\\nBirds, once there is room\\n"}},"commits":[{"id":"fafec6ca73acb30acb576500b21bf5fd032b989e","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Move the guide into a folder of its own","description":"","parents":["4d6098be100e8c2dea3ac4373b1aee821ac7ba33"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1779232200}}]}',
  },
  countCommits: {
    answer: '{"commits":23}',
  },
  deleteSession: {
    answer: '{"success":true}',
  },
  listCommits: {
    answer:
      '{"commits":[{"commit":{"id":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Merge patch: Spell chlorophyll","description":"","parents":["6ef91f5b072cb16072692bc2cb68d60409645bba","01d19f7c54b553743821522f0946e83b75a8db10"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781980200}},"diff":{"added":[],"deleted":[],"moved":[],"copied":[],"modified":[{"path":"src/leaf.ts","diff":{"type":"plain","hunks":[{"header":"@@ -1,6 +1,6 @@\\n","lines":[{"line":"import type { Season } from \\"./seasons.ts\\";\\n","lineNoOld":1,"lineNoNew":1,"type":"context"},{"line":"\\n","lineNoOld":2,"lineNoNew":2,"type":"context"},{"line":"/** Green comes from clorophyl, the rest was there all along. */\\n","lineNo":3,"type":"deletion"},{"line":"/** Green comes from chlorophyll, the rest was there all along. */\\n","lineNo":3,"type":"addition"},{"line":"export function colour(season: Season): string {\\n","lineNoOld":4,"lineNoNew":4,"type":"context"},{"line":"  if (season === \\"autumn\\") return \\"#c9822b\\";\\n","lineNoOld":5,"lineNoNew":5,"type":"context"},{"line":"  return season === \\"winter\\" ? \\"none\\" : \\"#4f9d4a\\";\\n","lineNoOld":6,"lineNoNew":6,"type":"context"}],"old":{"start":1,"end":7},"new":{"start":1,"end":7}}],"stats":{"additions":1,"deletions":1},"eof":"noneMissing"},"old":{"oid":"cc5e5712c13b3d7c9295fd2d85f5ad44e05e3f36","mode":"blob"},"new":{"oid":"1531c010fd9f624540c315eed9d67e4095bfc5b4","mode":"blob"}}],"stats":{"filesChanged":1,"insertions":1,"deletions":1}},"branches":["refs/heads/main"]}],"stats":{"commits":23,"branches":1,"contributors":3}}',
  },
  listGitRefs: {
    answer:
      "c5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/heads/main\n3b7d6b24f9c5f7c1f03f69e32070c023b448e04f	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/cobs/xyz.radicle.issue/3b7d6b24f9c5f7c1f03f69e32070c023b448e04f\n959633afb2aba09b0b6a9d6ff037437dfaf27c40	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/cobs/xyz.radicle.issue/c39dae4c7fe04bb948553ad4274882643024d213\n7a653f501de605233d9e9976a1fc97239d76a991	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/cobs/xyz.radicle.issue/cb9ed5d2235c6af2863cca53dbe21fe3165d4e8b\n2c6c2ec6ddc76990544a2557ad3ab314d2de4a2a	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/cobs/xyz.radicle.patch/2c6c2ec6ddc76990544a2557ad3ab314d2de4a2a\n6d2f6f5ee3f211dffa5211a19f154ecca279b391	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/cobs/xyz.radicle.patch/6d2f6f5ee3f211dffa5211a19f154ecca279b391\n27dfc3bfb4e1991d363c748286cad7dccef12dcc	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/cobs/xyz.radicle.patch/7716f0fdb8a69c216c83e10948f10cf028c68618\nd297fbd2071eb77040948d1c81f1c6bb6ec0a98f	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/cobs/xyz.radicle.patch/a8ff537017ae59b7e0ebb5b993cf63916ef136e7\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/heads/main\n5271a67b1688e18d3c6822aa6caf1748832ebaf4	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/heads/patches/2c6c2ec6ddc76990544a2557ad3ab314d2de4a2a\n34d765fb35e77d72082f68dfb861707a8c3380eb	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/heads/patches/6d2f6f5ee3f211dffa5211a19f154ecca279b391\n975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/rad/root\n2f425ea0e6b5ffc996a4240d4ce9136de3dfef3a	refs/namespaces/z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2/refs/rad/sigrefs\n975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.id/975ac60846744e44b58c6ec4830f6f36c0c5dfc5\n8b650b6256c7047414674c12638c78aa58d9bb10	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.issue/2beab63ed45cceae70395c62ffddb30bc454bad2\nad5b47e91f522ec09ea98991574ac5a9adb7b93c	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.issue/3b3143dfdcc387116b02030d809cc5ad45fc59fc\n28ee9ec9e493c8ee9accf73628f05bbc5081276a	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.issue/3b7d6b24f9c5f7c1f03f69e32070c023b448e04f\n03bcbdf6405361680a81f2968a94ca5e8ee2d539	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.issue/ab7eaacebfa470cb265e1883e6abeada90dfd555\nf810fd209028ca27d70820652672330e00879717	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.issue/b16559047b7e5c38425cfbbec0df34094813c65c\n8ecd4b1b2fd1807dc5e82ce21f80ae5555ef2408	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.issue/c39dae4c7fe04bb948553ad4274882643024d213\ncaab3cd63e7bc66540715996ead90354af98852c	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.issue/cb9ed5d2235c6af2863cca53dbe21fe3165d4e8b\n3e2fa6258a66da4db226fc4d7be2c1c081c51d94	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.patch/0327611096ae8f86b7ff0f55c9db76c656b5439a\n794fb26f5ec66fb20bc22bb5979e3735061d9eea	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.patch/3511a41c8b9ec43b8fcf00a898c4ec3e3ea95f58\nf7af634812cbce8f9718877ba45e3addf9bd168a	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.patch/6d2f6f5ee3f211dffa5211a19f154ecca279b391\nf60f6b7d147083a32e8dd0d625e2fd8f509202ff	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.patch/7716f0fdb8a69c216c83e10948f10cf028c68618\n289478a368869e200335c08cc0b2d443f4b80264	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.patch/a8ff537017ae59b7e0ebb5b993cf63916ef136e7\nceed157ed3d5973823225375c413ddbec5799783	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/cobs/xyz.radicle.patch/d1f40bdc043ae4496ea052a557035e2399c4f2c0\n01f14c5069ef9ddf806ee0eb01f4cb1490b756bb	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/heads/feature/birds\nc5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/heads/main\n01d19f7c54b553743821522f0946e83b75a8db10	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/heads/patches/7716f0fdb8a69c216c83e10948f10cf028c68618\n975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/rad/id\n975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/rad/root\n1fa2294a728a596e49dc4f94b1badfb4cc0ed5a2	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/rad/sigrefs\n4991b138d9fe6cd6884bf76afc13a468ab32583d	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/tags/v0.1.0\n4d6098be100e8c2dea3ac4373b1aee821ac7ba33	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/tags/v0.1.0^{}\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5/refs/tags/v0.2.0\n3b3143dfdcc387116b02030d809cc5ad45fc59fc	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.issue/3b3143dfdcc387116b02030d809cc5ad45fc59fc\ndd9f7267edbd33858f9ec6879f4b8c0558595e44	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.issue/3b7d6b24f9c5f7c1f03f69e32070c023b448e04f\na9443a56bafd0f1f084f314e01f9ce678c5e592f	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.issue/b16559047b7e5c38425cfbbec0df34094813c65c\n1f1bc5499f2409a1f9fb34a600f1bac1e8fa2460	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.issue/cb9ed5d2235c6af2863cca53dbe21fe3165d4e8b\n311842bda4554c722a6622527b0e9bd7fb64cef3	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.patch/0327611096ae8f86b7ff0f55c9db76c656b5439a\n1e91c92f9d83115db6e97096dc07d58d5b27f967	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.patch/2c6c2ec6ddc76990544a2557ad3ab314d2de4a2a\nb8f228ffbc66809a9ba8597ee329b6722acb1cb9	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.patch/7716f0fdb8a69c216c83e10948f10cf028c68618\n91a0b91f2af87568881a8c96a96daaa8323214bf	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.patch/a8ff537017ae59b7e0ebb5b993cf63916ef136e7\n3e5d738f9ccf2ee3952100abfafc02c40b86de7a	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/cobs/xyz.radicle.patch/d1f40bdc043ae4496ea052a557035e2399c4f2c0\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/heads/main\n10feb06cf19d42064a803619a857d4dce5ed248b	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/heads/patches/0327611096ae8f86b7ff0f55c9db76c656b5439a\n92d78fbbf2b0afdc3248827366f585205d085d72	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/heads/patches/a8ff537017ae59b7e0ebb5b993cf63916ef136e7\n9b0953c1c81ce728e8770e1c5d72ec66ec421ea1	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/heads/patches/d1f40bdc043ae4496ea052a557035e2399c4f2c0\n975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/rad/root\nbde11af18d6825aca517347fbd0a122aed4884e9	refs/namespaces/z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy/refs/rad/sigrefs\n975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/rad/id\n",
  },
  listInventory: {
    answer: '["rad:zFZnKLjrFFgVGYPZGzXfRpDd9RfW","rad:z23FBDyz45jiHiEcAucgMrHuTt3FB"]',
  },
  listIssues: {
    answer:
      '[{"id":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"title":"Sell trees by the metre","state":{"status":"closed","reason":"other"},"assignees":[],"discussion":[{"id":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"Standing or lying, the price is the same.","edits":[{"author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"Standing or lying, the price is the same.","timestamp":1780920240,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780920240,"replyTo":null,"resolved":false},{"id":"452e62e9484a02a89bf5b9c3dbeb23deb49fbe62","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","timestamp":1780935480,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780935480,"replyTo":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","resolved":false}],"labels":[]}]',
  },
  listJobs: {
    answer: "[]",
  },
  listPatches: {
    answer:
      '[{"id":"7716f0fdb8a69c216c83e10948f10cf028c68618","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"7716f0fdb8a69c216c83e10948f10cf028c68618","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"7716f0fdb8a69c216c83e10948f10cf028c68618"}],"assignees":[],"revisions":[{"id":"7716f0fdb8a69c216c83e10948f10cf028c68618","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/7716f0fdb8a69c216c83e10948f10cf028c68618"],"discussions":[{"id":"b8f228ffbc66809a9ba8597ee329b6722acb1cb9","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[["z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2","😀"]],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}]',
  },
  listPeerRefs: {
    answer:
      "975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/cobs/xyz.radicle.id/975ac60846744e44b58c6ec4830f6f36c0c5dfc5\n8b650b6256c7047414674c12638c78aa58d9bb10	refs/cobs/xyz.radicle.issue/2beab63ed45cceae70395c62ffddb30bc454bad2\nad5b47e91f522ec09ea98991574ac5a9adb7b93c	refs/cobs/xyz.radicle.issue/3b3143dfdcc387116b02030d809cc5ad45fc59fc\n28ee9ec9e493c8ee9accf73628f05bbc5081276a	refs/cobs/xyz.radicle.issue/3b7d6b24f9c5f7c1f03f69e32070c023b448e04f\n03bcbdf6405361680a81f2968a94ca5e8ee2d539	refs/cobs/xyz.radicle.issue/ab7eaacebfa470cb265e1883e6abeada90dfd555\nf810fd209028ca27d70820652672330e00879717	refs/cobs/xyz.radicle.issue/b16559047b7e5c38425cfbbec0df34094813c65c\n8ecd4b1b2fd1807dc5e82ce21f80ae5555ef2408	refs/cobs/xyz.radicle.issue/c39dae4c7fe04bb948553ad4274882643024d213\ncaab3cd63e7bc66540715996ead90354af98852c	refs/cobs/xyz.radicle.issue/cb9ed5d2235c6af2863cca53dbe21fe3165d4e8b\n3e2fa6258a66da4db226fc4d7be2c1c081c51d94	refs/cobs/xyz.radicle.patch/0327611096ae8f86b7ff0f55c9db76c656b5439a\n794fb26f5ec66fb20bc22bb5979e3735061d9eea	refs/cobs/xyz.radicle.patch/3511a41c8b9ec43b8fcf00a898c4ec3e3ea95f58\nf7af634812cbce8f9718877ba45e3addf9bd168a	refs/cobs/xyz.radicle.patch/6d2f6f5ee3f211dffa5211a19f154ecca279b391\nf60f6b7d147083a32e8dd0d625e2fd8f509202ff	refs/cobs/xyz.radicle.patch/7716f0fdb8a69c216c83e10948f10cf028c68618\n289478a368869e200335c08cc0b2d443f4b80264	refs/cobs/xyz.radicle.patch/a8ff537017ae59b7e0ebb5b993cf63916ef136e7\nceed157ed3d5973823225375c413ddbec5799783	refs/cobs/xyz.radicle.patch/d1f40bdc043ae4496ea052a557035e2399c4f2c0\n01f14c5069ef9ddf806ee0eb01f4cb1490b756bb	refs/heads/feature/birds\nc5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/heads/main\n01d19f7c54b553743821522f0946e83b75a8db10	refs/heads/patches/7716f0fdb8a69c216c83e10948f10cf028c68618\n975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/rad/id\n975ac60846744e44b58c6ec4830f6f36c0c5dfc5	refs/rad/root\n1fa2294a728a596e49dc4f94b1badfb4cc0ed5a2	refs/rad/sigrefs\n4991b138d9fe6cd6884bf76afc13a468ab32583d	refs/tags/v0.1.0\n4d6098be100e8c2dea3ac4373b1aee821ac7ba33	refs/tags/v0.1.0^{}\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/tags/v0.2.0\n",
  },
  listPolicies: {
    answer:
      '[{"id":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","scope":"all","policy":"allow"},{"id":"rad:zFZnKLjrFFgVGYPZGzXfRpDd9RfW","scope":"all","policy":"allow"},{"id":"rad:z2hmiQq519iMRtSnQw5qRXftLYpPR","scope":"all","policy":"allow"}]',
  },
  listProjects: {
    answer:
      '[{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":3,"draft":1,"archived":1,"merged":2},"issues":{"open":4,"closed":3},"id":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","trackings":1,"seeding":1}]',
  },
  listProjectsOfDelegate: {
    answer:
      '[{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":3,"draft":1,"archived":1,"merged":2},"issues":{"open":4,"closed":3},"id":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","trackings":1,"seeding":1}]',
  },
  listRemotes: {
    answer:
      '[{"id":"z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2","alias":"zoë","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/2c6c2ec6ddc76990544a2557ad3ab314d2de4a2a":"5271a67b1688e18d3c6822aa6caf1748832ebaf4","patches/6d2f6f5ee3f211dffa5211a19f154ecca279b391":"34d765fb35e77d72082f68dfb861707a8c3380eb"},"delegate":false},{"id":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/7716f0fdb8a69c216c83e10948f10cf028c68618":"01d19f7c54b553743821522f0946e83b75a8db10"},"delegate":true},{"id":"z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/0327611096ae8f86b7ff0f55c9db76c656b5439a":"10feb06cf19d42064a803619a857d4dce5ed248b","patches/a8ff537017ae59b7e0ebb5b993cf63916ef136e7":"92d78fbbf2b0afdc3248827366f585205d085d72","patches/d1f40bdc043ae4496ea052a557035e2399c4f2c0":"9b0953c1c81ce728e8770e1c5d72ec66ec421ea1"},"delegate":false}]',
  },
  listRepoCommits: {
    answer:
      '[{"id":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Merge patch: Spell chlorophyll","description":"","parents":["6ef91f5b072cb16072692bc2cb68d60409645bba","01d19f7c54b553743821522f0946e83b75a8db10"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781980200}},{"id":"01d19f7c54b553743821522f0946e83b75a8db10","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Spell chlorophyll","description":"","parents":["6ef91f5b072cb16072692bc2cb68d60409645bba"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781903760}}]',
  },
  listRepoIssues: {
    answer:
      '[{"id":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"title":"Sell trees by the metre","state":{"status":"closed","reason":"other"},"assignees":[],"discussion":[{"id":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"Standing or lying, the price is the same.","edits":[{"author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"Standing or lying, the price is the same.","timestamp":1780920240,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780920240,"replyTo":null,"resolved":false},{"id":"452e62e9484a02a89bf5b9c3dbeb23deb49fbe62","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","timestamp":1780935480,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780935480,"replyTo":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","resolved":false}],"labels":[]}]',
  },
  listRepoPatches: {
    answer:
      '[{"id":"7716f0fdb8a69c216c83e10948f10cf028c68618","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"7716f0fdb8a69c216c83e10948f10cf028c68618","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"7716f0fdb8a69c216c83e10948f10cf028c68618"}],"assignees":[],"revisions":[{"id":"7716f0fdb8a69c216c83e10948f10cf028c68618","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/7716f0fdb8a69c216c83e10948f10cf028c68618"],"discussions":[{"id":"b8f228ffbc66809a9ba8597ee329b6722acb1cb9","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[{"emoji":"😀","authors":[{"id":"did:key:z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2","alias":"zoë"}]}],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}]',
  },
  listRepoRemotes: {
    answer:
      '[{"id":"z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2","alias":"zoë","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/2c6c2ec6ddc76990544a2557ad3ab314d2de4a2a":"5271a67b1688e18d3c6822aa6caf1748832ebaf4","patches/6d2f6f5ee3f211dffa5211a19f154ecca279b391":"34d765fb35e77d72082f68dfb861707a8c3380eb"},"refs":{"refs/heads/main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","refs/heads/patches/2c6c2ec6ddc76990544a2557ad3ab314d2de4a2a":"5271a67b1688e18d3c6822aa6caf1748832ebaf4","refs/heads/patches/6d2f6f5ee3f211dffa5211a19f154ecca279b391":"34d765fb35e77d72082f68dfb861707a8c3380eb"},"delegate":false},{"id":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/7716f0fdb8a69c216c83e10948f10cf028c68618":"01d19f7c54b553743821522f0946e83b75a8db10"},"refs":{"refs/heads/feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","refs/heads/patches/7716f0fdb8a69c216c83e10948f10cf028c68618":"01d19f7c54b553743821522f0946e83b75a8db10","refs/tags/v0.1.0":"4d6098be100e8c2dea3ac4373b1aee821ac7ba33","refs/tags/v0.2.0":"ccad7f9a8e53850cf55be86dd357994e7859d5cb"},"delegate":true},{"id":"z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/0327611096ae8f86b7ff0f55c9db76c656b5439a":"10feb06cf19d42064a803619a857d4dce5ed248b","patches/a8ff537017ae59b7e0ebb5b993cf63916ef136e7":"92d78fbbf2b0afdc3248827366f585205d085d72","patches/d1f40bdc043ae4496ea052a557035e2399c4f2c0":"9b0953c1c81ce728e8770e1c5d72ec66ec421ea1"},"refs":{"refs/heads/main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","refs/heads/patches/0327611096ae8f86b7ff0f55c9db76c656b5439a":"10feb06cf19d42064a803619a857d4dce5ed248b","refs/heads/patches/a8ff537017ae59b7e0ebb5b993cf63916ef136e7":"92d78fbbf2b0afdc3248827366f585205d085d72","refs/heads/patches/d1f40bdc043ae4496ea052a557035e2399c4f2c0":"9b0953c1c81ce728e8770e1c5d72ec66ec421ea1"},"delegate":false}]',
  },
  listRepos: {
    answer:
      '[{"payloads":{"xyz.radicle.project":{"data":{"defaultBranch":"main","description":"A small project to look around in","name":"xylem-demo"},"meta":{"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","issues":{"open":3,"closed":3},"patches":{"open":2,"draft":1,"archived":1,"merged":2}}}},"delegates":[{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"}],"threshold":1,"visibility":{"type":"public"},"rid":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","seeding":1,"refs":{"tags":{},"refs":{"refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"}}}]',
  },
  listReposOfDelegate: {
    answer:
      '[{"payloads":{"xyz.radicle.project":{"data":{"defaultBranch":"main","description":"A small project to look around in","name":"xylem-demo"},"meta":{"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","issues":{"open":3,"closed":3},"patches":{"open":2,"draft":1,"archived":1,"merged":2}}}},"delegates":[{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"}],"threshold":1,"visibility":{"type":"public"},"rid":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","seeding":1,"refs":{"tags":{},"refs":{"refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"}}}]',
  },
  listTodayInventory: {
    answer: '["rad:zFZnKLjrFFgVGYPZGzXfRpDd9RfW","rad:z23FBDyz45jiHiEcAucgMrHuTt3FB"]',
  },
  listTodayPolicies: {
    answer:
      '[{"rid":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","policy":{"policy":"allow","scope":"all"}},{"rid":"rad:zFZnKLjrFFgVGYPZGzXfRpDd9RfW","policy":{"policy":"allow","scope":"all"}},{"rid":"rad:z2hmiQq519iMRtSnQw5qRXftLYpPR","policy":{"policy":"allow","scope":"all"}}]',
  },
  openIssue: {
    request:
      '{"title":"Water the maple","description":"Its leaves hang.","labels":["care"],"assignees":[],"embeds":[]}',
    answer: '{"success":true,"id":"e06a3571af162725f2771ec8ff36924c15208c41"}',
  },
  openPatch: {
    request:
      '{"title":"Let birds in","description":"They eat the aphids.","target":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","oid":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","labels":[]}',
    answer: '{"success":true,"id":"c510c8722715492adeb0f26793b0504bcc0909b9"}',
  },
  openRepoIssue: {
    request:
      '{"title":"Prune the apple tree","description":"Before it buds.","labels":["care"],"assignees":[],"embeds":[]}',
    answer: '{"success":true,"id":"ab7eaacebfa470cb265e1883e6abeada90dfd555"}',
  },
  openRepoPatch: {
    request:
      '{"title":"Move the maple","description":"It wants shade.","target":"4d6098be100e8c2dea3ac4373b1aee821ac7ba33","oid":"fafec6ca73acb30acb576500b21bf5fd032b989e","labels":[]}',
    answer: '{"success":true,"id":"3511a41c8b9ec43b8fcf00a898c4ec3e3ea95f58"}',
  },
  openSession: {
    answer:
      '{"sessionId":"UbfcE6LiSyJR6xKclVntWh88Y2Qc26Du","status":"unauthorized","publicKey":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo","issuedAt":1795367889,"expiresAt":1795367949}',
  },
  openWalletSession: {
    answer: '{"id":"a710ee043c0c293d0ed76e0b8eef184eaae6e799bb7aba6367ec137b254b29c3","nonce":"90RjBnncu6B"}',
  },
  search: {
    answer:
      '[{"type":"patch","rid":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","name":"xylem-demo","id":"3511a41c8b9ec43b8fcf00a898c4ec3e3ea95f58","title":"Move the maple","status":"open","excerpt":"It wants shade."}]',
  },
  searchRepos: {
    answer:
      '[{"rid":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","payloads":{"xyz.radicle.project":{"defaultBranch":"main","description":"A small project to look around in","name":"xylem-demo"}},"delegates":[{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"}],"seeds":1}]',
  },
  seedRepository: {
    answer: '{"success":true}',
  },
  showActivity: {
    answer:
      '{"activity":[1781980200,1781903760,1781132400,1781047920,1780568400,1780420380,1780272360,1780268340,1780120320,1779972300,1779676260,1779528240,1779380220,1779232200,1779084180,1779080160,1778932140,1778784120,1778636100,1778488080,1778340060,1778192040,1778044020]}',
  },
  showAgentNode: {
    answer:
      '{"id":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","agent":"/radicle/","config":null,"state":"stopped"}',
  },
  showAlias: {
    answer: '{"alias":"demo"}',
  },
  showApi: {
    answer: '{"path":"/api","links":[{"href":"/v1","rel":"v1","type":"GET"}]}',
  },
  showApiWithSlash: {
    answer: '{"path":"/api","links":[{"href":"/v1","rel":"v1","type":"GET"}]}',
  },
  showBlob: {
    answer:
      '{"binary":false,"name":"seasons.ts","content":"/** What a tree does all year long. */\\nexport type Season = \\"spring\\" | \\"summer\\" | \\"autumn\\" | \\"winter\\";\\n\\nexport const SEASONS: readonly Season[] = [\\"spring\\", \\"summer\\", \\"autumn\\", \\"winter\\"];\\n\\n/** The season of a month, 1 for January. */\\nexport function seasonOf(month: number): Season {\\n  return SEASONS[Math.floor(((month + 9) % 12) / 3)]!;\\n}\\n\\n/** The season after this one. */\\nexport function next(season: Season): Season {\\n  return SEASONS[(SEASONS.indexOf(season) + 1) % SEASONS.length]!;\\n}\\n\\nexport function hasLeaves(season: Season): boolean {\\n  return season !== \\"winter\\";\\n}\\n","path":"src/seasons.ts","lastCommit":{"id":"40e6972a6375af592d4da5e798179ccd6854d586","author":{"name":"Bob Branch","email":"bob@example.org"},"summary":"Rename season.ts and name the months","description":"","parents":["fafec6ca73acb30acb576500b21bf5fd032b989e"],"committer":{"name":"Bob Branch","email":"bob@example.org","time":1779380220}}}',
  },
  showCommit: {
    answer:
      '{"commit":{"id":"fafec6ca73acb30acb576500b21bf5fd032b989e","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Move the guide into a folder of its own","description":"","parents":["4d6098be100e8c2dea3ac4373b1aee821ac7ba33"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1779232200}},"diff":{"added":[],"deleted":[],"moved":[{"oldPath":"GUIDE.md","newPath":"docs/guide.md","current":{"oid":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","mode":"blob"}},{"oldPath":"plan.txt","newPath":"docs/plan.txt","current":{"oid":"7ee616d6acb37081f3fc27ae436c83764c59ad17","mode":"blob"}}],"copied":[],"modified":[],"stats":{"filesChanged":2,"insertions":0,"deletions":0}},"files":{"1e9f641a0e38548bc168c863bc7503edb7fb7dc2":{"id":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","binary":false,"content":"# How to grow a tree\\n\\n1. Plant a seed.\\n2. Wait a year.\\n3. Count the rings. There should be one.\\n\\nThen go back to the second step.\\n\\n| Tree | Years until shade |\\n|------|-------------------|\\n| lime | 12 |\\n| oak  | 30 |\\n| yew  | ask your grandchildren |\\n"},"7ee616d6acb37081f3fc27ae436c83764c59ad17":{"id":"7ee616d6acb37081f3fc27ae436c83764c59ad17","binary":false,"content":"Seasons\\nLeaves\\nBirds, once there is room\\n"}},"branches":["refs/heads/main"]}',
  },
  showDiffStats: {
    answer: '{"filesChanged":2,"insertions":0,"deletions":0}',
  },
  showGitHead: {
    answer: "ref: refs/heads/main\n",
  },
  showInfo: {
    answer:
      '{"node":{"id":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","agent":"/radicle/","config":null,"state":"stopped"},"httpd":{"searchAvailable":false}}',
  },
  showIssue: {
    answer:
      '{"id":"e06a3571af162725f2771ec8ff36924c15208c41","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"title":"Water the maple","state":{"status":"open"},"assignees":[],"discussion":[{"id":"e06a3571af162725f2771ec8ff36924c15208c41","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Its leaves hang.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Its leaves hang.","timestamp":1795367889,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1795367889,"replyTo":null,"resolved":false},{"id":"f4511042b41e98874380a9518243700c28192b59","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Twice a week.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Twice a week.","timestamp":1795367889,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1795367889,"replyTo":"e06a3571af162725f2771ec8ff36924c15208c41","resolved":false}],"labels":["care"]}',
  },
  showNode: {
    answer:
      '{"id":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","version":"0.1.0-dev","config":null,"state":"stopped"}',
  },
  showNodeByIdOfBoth: {
    answer:
      '{"alias":"demo","did":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","ssh":{"full":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIgjEBC9vTKQzkThJHaGei9LoHJ3Q0lh9MkeExTohp0u","hash":"SHA256:7ONlWlBMfu+43khi+5ZUaEPF4GQhgxkx7qIiveXOPRs"}}',
  },
  showNodeOfBoth: {
    answer:
      '{"id":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","version":"0.1.0-dev","config":null,"state":"stopped","agent":"/radicle/"}',
  },
  showOtherNode: {
    answer:
      '{"alias":"demo","did":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","ssh":{"full":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIgjEBC9vTKQzkThJHaGei9LoHJ3Q0lh9MkeExTohp0u","hash":"SHA256:7ONlWlBMfu+43khi+5ZUaEPF4GQhgxkx7qIiveXOPRs"}}',
  },
  showPatch: {
    answer:
      '{"id":"7716f0fdb8a69c216c83e10948f10cf028c68618","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"7716f0fdb8a69c216c83e10948f10cf028c68618","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"7716f0fdb8a69c216c83e10948f10cf028c68618"}],"assignees":[],"revisions":[{"id":"7716f0fdb8a69c216c83e10948f10cf028c68618","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/7716f0fdb8a69c216c83e10948f10cf028c68618"],"discussions":[{"id":"b8f228ffbc66809a9ba8597ee329b6722acb1cb9","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[["z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2","😀"]],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}',
  },
  showPeerHead: {
    answer: "",
  },
  showPolicy: {
    answer: '{"policy":"allow","scope":"all"}',
  },
  showProfile: {
    answer:
      '{"config":{"publicExplorer":"https://app.radicle.xyz/nodes/$host/$rid$path","preferredSeeds":[],"web":{"pinned":{"repositories":["rad:z23FBDyz45jiHiEcAucgMrHuTt3FB"]}},"cli":{"hints":false},"node":{"alias":"demo","listen":[],"peers":{"type":"static"},"connect":[],"externalAddresses":[],"network":"test","relay":"never","limits":{"routingMaxSize":1000,"routingMaxAge":604800,"gossipMaxAge":1209600,"fetchConcurrency":1,"maxOpenFiles":4096,"rate":{"inbound":{"fillRate":0.2,"capacity":32},"outbound":{"fillRate":1,"capacity":64}}},"policy":"block","scope":"followed","seedingPolicy":{"default":"block"}}},"home":"/home/me/.cache/xylem/demo-1"}',
  },
  showProject: {
    answer:
      '{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":3,"draft":1,"archived":1,"merged":2},"issues":{"open":4,"closed":3},"id":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","trackings":1,"seeding":1}',
  },
  showRawBlob: {
    answer: "Seasons\nLeaves\nBirds, once there is room\n",
  },
  showRawFile: {
    answer: "Seasons\nLeaves\nBirds, once there is room\n",
  },
  showRawFileOfHead: {
    answer:
      "# How to grow a tree\n\n1. Plant a seed.\n2. Wait a year.\n3. Count the rings. There should be one.\n\nThen go back to the second step.\n\n| Tree | Years until shade |\n|------|-------------------|\n| lime | 12 |\n| oak  | 30 |\n| yew  | ask your grandchildren |\n",
  },
  showReadme: {
    answer:
      '{"binary":false,"name":"README.md","content":"# xylem-demo\\n\\nA small project to look around in: it has a history with branches, merges and renames, a few issues and patches, and a picture.\\n\\n![A leaf](assets/leaf.png)\\n\\n```ts\\nimport { grow, plant } from \\"./src/tree.ts\\";\\n\\nconsole.log(grow(plant(\\"lime\\"), 12));\\n```\\n\\nMore in [the guide](docs/guide.md). Everything here is in the public domain.\\n","path":"README.md","lastCommit":{"id":"98404cccba8e917c750457c4e68d3f63f7651c9a","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Link the guide where it is looked for","description":"","parents":["40e6972a6375af592d4da5e798179ccd6854d586"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1779528240}}}',
  },
  showRemote: {
    answer:
      '{"id":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/7716f0fdb8a69c216c83e10948f10cf028c68618":"01d19f7c54b553743821522f0946e83b75a8db10"},"delegate":true}',
  },
  showRepo: {
    answer:
      '{"payloads":{"xyz.radicle.project":{"data":{"defaultBranch":"main","description":"A small project to look around in","name":"xylem-demo"},"meta":{"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","issues":{"open":3,"closed":3},"patches":{"open":2,"draft":1,"archived":1,"merged":2}}}},"delegates":[{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"}],"threshold":1,"visibility":{"type":"public"},"rid":"rad:z23FBDyz45jiHiEcAucgMrHuTt3FB","seeding":1,"refs":{"tags":{},"refs":{"refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"}}}',
  },
  showRepoActivity: {
    answer:
      '{"activity":[1781980200,1781903760,1781132400,1781047920,1780568400,1780420380,1780272360,1780268340,1780120320,1779972300,1779676260,1779528240,1779380220,1779232200,1779084180,1779080160,1778932140,1778784120,1778636100,1778488080,1778340060,1778192040,1778044020]}',
  },
  showRepoBlob: {
    answer:
      '{"binary":false,"name":"seasons.ts","content":"/** What a tree does all year long. */\\nexport type Season = \\"spring\\" | \\"summer\\" | \\"autumn\\" | \\"winter\\";\\n\\nexport const SEASONS: readonly Season[] = [\\"spring\\", \\"summer\\", \\"autumn\\", \\"winter\\"];\\n\\n/** The season of a month, 1 for January. */\\nexport function seasonOf(month: number): Season {\\n  return SEASONS[Math.floor(((month + 9) % 12) / 3)]!;\\n}\\n\\n/** The season after this one. */\\nexport function next(season: Season): Season {\\n  return SEASONS[(SEASONS.indexOf(season) + 1) % SEASONS.length]!;\\n}\\n\\nexport function hasLeaves(season: Season): boolean {\\n  return season !== \\"winter\\";\\n}\\n","path":"src/seasons.ts","lastCommit":{"id":"40e6972a6375af592d4da5e798179ccd6854d586","author":{"name":"Bob Branch","email":"bob@example.org"},"summary":"Rename season.ts and name the months","description":"","parents":["fafec6ca73acb30acb576500b21bf5fd032b989e"],"committer":{"name":"Bob Branch","email":"bob@example.org","time":1779380220}}}',
  },
  showRepoCommit: {
    answer:
      '{"commit":{"id":"fafec6ca73acb30acb576500b21bf5fd032b989e","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Move the guide into a folder of its own","description":"","parents":["4d6098be100e8c2dea3ac4373b1aee821ac7ba33"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1779232200}},"diff":{"files":[{"status":"moved","oldPath":"GUIDE.md","newPath":"docs/guide.md","current":{"oid":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","mode":"blob"}},{"status":"moved","oldPath":"plan.txt","newPath":"docs/plan.txt","current":{"oid":"7ee616d6acb37081f3fc27ae436c83764c59ad17","mode":"blob"}}],"stats":{"filesChanged":2,"insertions":0,"deletions":0}},"files":{"1e9f641a0e38548bc168c863bc7503edb7fb7dc2":{"id":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","binary":false,"content":"# How to grow a tree\\n\\n1. Plant a seed.\\n2. Wait a year.\\n3. Count the rings. There should be one.\\n\\nThen go back to the second step.\\n\\n| Tree | Years until shade |\\n|------|-------------------|\\n| lime | 12 |\\n| oak  | 30 |\\n| yew  | ask your grandchildren |\\n"},"7ee616d6acb37081f3fc27ae436c83764c59ad17":{"id":"7ee616d6acb37081f3fc27ae436c83764c59ad17","binary":false,"content":"Seasons\\nLeaves\\nBirds, once there is room\\n"}},"branches":["refs/heads/main"]}',
  },
  showRepoIssue: {
    answer:
      '{"id":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"title":"Sell trees by the metre","state":{"status":"closed","reason":"other"},"assignees":[],"discussion":[{"id":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"Standing or lying, the price is the same.","edits":[{"author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"Standing or lying, the price is the same.","timestamp":1780920240,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780920240,"replyTo":null,"resolved":false},{"id":"452e62e9484a02a89bf5b9c3dbeb23deb49fbe62","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","timestamp":1780935480,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780935480,"replyTo":"3b3143dfdcc387116b02030d809cc5ad45fc59fc","resolved":false}],"labels":[]}',
  },
  showRepoPatch: {
    answer:
      '{"id":"7716f0fdb8a69c216c83e10948f10cf028c68618","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"7716f0fdb8a69c216c83e10948f10cf028c68618","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"7716f0fdb8a69c216c83e10948f10cf028c68618"}],"assignees":[],"revisions":[{"id":"7716f0fdb8a69c216c83e10948f10cf028c68618","author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/7716f0fdb8a69c216c83e10948f10cf028c68618"],"discussions":[{"id":"b8f228ffbc66809a9ba8597ee329b6722acb1cb9","author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6Mkw25weT2zGvTPrhLPuCpBw28PfhhmXJgaFinuiSpqzXhy","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[{"emoji":"😀","authors":[{"id":"did:key:z6MkoBmQA5H3Vx9GhL9A12csB9De2fFjNWeRoi98DTcR5qk2","alias":"zoë"}]}],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}',
  },
  showRepoReadme: {
    answer:
      '{"binary":false,"name":"README.md","content":"# xylem-demo\\n\\nA small project to look around in: it has a history with branches, merges and renames, a few issues and patches, and a picture.\\n\\n![A leaf](assets/leaf.png)\\n\\n```ts\\nimport { grow, plant } from \\"./src/tree.ts\\";\\n\\nconsole.log(grow(plant(\\"lime\\"), 12));\\n```\\n\\nMore in [the guide](docs/guide.md). Everything here is in the public domain.\\n","path":"README.md","lastCommit":{"id":"98404cccba8e917c750457c4e68d3f63f7651c9a","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Link the guide where it is looked for","description":"","parents":["40e6972a6375af592d4da5e798179ccd6854d586"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1779528240}}}',
  },
  showRepoRemote: {
    answer:
      '{"id":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/7716f0fdb8a69c216c83e10948f10cf028c68618":"01d19f7c54b553743821522f0946e83b75a8db10"},"refs":{"refs/heads/feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","refs/heads/patches/7716f0fdb8a69c216c83e10948f10cf028c68618":"01d19f7c54b553743821522f0946e83b75a8db10","refs/tags/v0.1.0":"4d6098be100e8c2dea3ac4373b1aee821ac7ba33","refs/tags/v0.2.0":"ccad7f9a8e53850cf55be86dd357994e7859d5cb"},"delegate":true}',
  },
  showRepoRoot: {
    answer:
      '{"entries":[{"path":"assets","oid":"dde5ebf0808a9163e16fac99a2000ef450e9d089","name":"assets","kind":"tree"},{"path":"bin","oid":"2d2b1b5db16f4a00edad6a627a30f0fd56a8cdf2","name":"bin","kind":"tree"},{"path":"docs","oid":"74b410634ac5724ef561fc6089667497c3d822ea","name":"docs","kind":"tree"},{"path":"src","oid":"7e29fb637f5ef5cf7d0296118fc4087ec63bc2b0","name":"src","kind":"tree"},{"path":"test","oid":"9d034db6f890ab943f7e8aafefff257311d93ae0","name":"test","kind":"tree"},{"path":"HOWTO","oid":"eafc2aac7162cad4e1f335fab78ae18b297e49cc","name":"HOWTO","kind":"blob"},{"path":"LICENSE","oid":"c3ebb385333188824cc05766bb8b3708a6602913","name":"LICENSE","kind":"blob"},{"path":"README.md","oid":"99c580b418292bdddd8369c05337921f4644f7ef","name":"README.md","kind":"blob"}],"lastCommit":{"id":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Merge patch: Spell chlorophyll","description":"","parents":["6ef91f5b072cb16072692bc2cb68d60409645bba","01d19f7c54b553743821522f0946e83b75a8db10"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781980200}},"name":"","path":""}',
  },
  showRepoStats: {
    answer: '{"repos":{"total":2}}',
  },
  showRepoTree: {
    answer:
      '{"entries":[{"path":"docs/de","oid":"1999549379365a7107f1e796dd6be65c76aada5c","name":"de","kind":"tree"},{"path":"docs/日本語","oid":"676b20486a50935a839c4a8b14d9f4af31bafbed","name":"日本語","kind":"tree"},{"path":"docs/guide.md","oid":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","name":"guide.md","kind":"blob"}],"lastCommit":{"id":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Merge patch: Spell chlorophyll","description":"","parents":["6ef91f5b072cb16072692bc2cb68d60409645bba","01d19f7c54b553743821522f0946e83b75a8db10"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781980200}},"name":"docs","path":"docs"}',
  },
  showRoot: {
    answer:
      '{"entries":[{"path":"assets","name":"assets","kind":"tree"},{"path":"bin","name":"bin","kind":"tree"},{"path":"docs","name":"docs","kind":"tree"},{"path":"src","name":"src","kind":"tree"},{"path":"test","name":"test","kind":"tree"},{"path":"HOWTO","name":"HOWTO","kind":"blob"},{"path":"LICENSE","name":"LICENSE","kind":"blob"},{"path":"README.md","name":"README.md","kind":"blob"}],"lastCommit":{"id":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Merge patch: Spell chlorophyll","description":"","parents":["6ef91f5b072cb16072692bc2cb68d60409645bba","01d19f7c54b553743821522f0946e83b75a8db10"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781980200}},"name":"","path":"","stats":{"commits":23,"branches":1,"contributors":3}}',
  },
  showService: {
    answer:
      '{"welcome":"Welcome to the HTTP/JSON API of a Radicle node.","version":"0.1.0-dev","path":"/","links":[{"href":"/api","rel":"api","type":"GET"},{"href":"/raw/:rid/:sha/*path","rel":"file_by_commit","type":"GET"},{"href":"/raw/:rid/head/*path","rel":"file_by_canonical_head","type":"GET"},{"href":"/raw/:rid/blobs/:oid","rel":"file_by_oid","type":"GET"}]}',
  },
  showSession: {
    answer:
      '{"sessionId":"UbfcE6LiSyJR6xKclVntWh88Y2Qc26Du","status":"authorized","publicKey":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","alias":"demo","issuedAt":1795367889,"expiresAt":1795972689}',
  },
  showStats: {
    answer: '{"projects":{"count":2},"users":{"count":0}}',
  },
  showStatsOfBoth: {
    answer: '{"projects":{"count":2},"users":{"count":0},"repos":{"total":2}}',
  },
  showTodayApi: {
    answer: '{"path":"/api","links":[{"href":"/v1","rel":"v1","type":"GET"}]}',
  },
  showTodayApiWithSlash: {
    answer: '{"path":"/api","links":[{"href":"/v1","rel":"v1","type":"GET"}]}',
  },
  showTodayService: {
    answer:
      '{"welcome":"Welcome to the HTTP/JSON API of a Radicle node.","version":"0.1.0-dev","path":"/","links":[{"href":"/api","rel":"api","type":"GET"},{"href":"/raw/:rid/:sha/*path","rel":"file_by_commit","type":"GET"},{"href":"/raw/:rid/head/*path","rel":"file_by_canonical_head","type":"GET"},{"href":"/raw/:rid/blobs/:oid","rel":"file_by_oid","type":"GET"}]}',
  },
  showTodayVersion: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","apiVersion":"6.1.0","nid":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","path":"/api/v1","links":[{"href":"/repos","rel":"repos","type":"GET"},{"href":"/repos/:rid","rel":"repo","type":"GET"},{"href":"/info","rel":"info","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/nodes/:nid","rel":"node","type":"GET"},{"href":"/delegates/:did/repos","rel":"repos","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showTodayVersionWithSlash: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","apiVersion":"6.1.0","nid":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","path":"/api/v1","links":[{"href":"/repos","rel":"repos","type":"GET"},{"href":"/repos/:rid","rel":"repo","type":"GET"},{"href":"/info","rel":"info","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/nodes/:nid","rel":"node","type":"GET"},{"href":"/delegates/:did/repos","rel":"repos","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showTree: {
    answer:
      '{"entries":[{"path":"docs/de","name":"de","kind":"tree"},{"path":"docs/日本語","name":"日本語","kind":"tree"},{"path":"docs/guide.md","name":"guide.md","kind":"blob"}],"lastCommit":{"id":"6ef91f5b072cb16072692bc2cb68d60409645bba","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Merge patch: Auf Deutsch: die Anleitung","description":"","parents":["ccad7f9a8e53850cf55be86dd357994e7859d5cb","34d765fb35e77d72082f68dfb861707a8c3380eb"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781132400}},"name":"docs","path":"docs","stats":{"commits":23,"branches":1,"contributors":3}}',
  },
  showTreeStats: {
    answer: '{"commits":23,"branches":1,"contributors":3}',
  },
  showVersion: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showVersionOfBoth: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"},{"href":"/repos","rel":"repos","type":"GET"},{"href":"/repos/:rid","rel":"repo","type":"GET"},{"href":"/info","rel":"info","type":"GET"},{"href":"/nodes/:nid","rel":"node","type":"GET"},{"href":"/delegates/:did/repos","rel":"repos","type":"GET"}],"apiVersion":"6.1.0"}',
  },
  showVersionOfBothWithSlash: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"},{"href":"/repos","rel":"repos","type":"GET"},{"href":"/repos/:rid","rel":"repo","type":"GET"},{"href":"/info","rel":"info","type":"GET"},{"href":"/nodes/:nid","rel":"node","type":"GET"},{"href":"/delegates/:did/repos","rel":"repos","type":"GET"}],"apiVersion":"6.1.0"}',
  },
  showVersionWithSlash: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkocgW5AMW4P5aja6Vrqt7psMmE4pzWpEfR3cjHrRNsZi5","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showWalletSession: {
    answer:
      '{"id":"a710ee043c0c293d0ed76e0b8eef184eaae6e799bb7aba6367ec137b254b29c3","session":{"domain":"localhost","address":"0x4a62316623ad457f02cdc5d997ded67a383ec569","statement":null,"uri":"http://localhost:8080","version":1,"chainId":1,"nonce":"90RjBnncu6B","issuedAt":"2023-01-27 9:05:03.25 +00:00:00","expirationTime":null,"resources":[]}}',
  },
  unseedRepository: {
    answer: '{"success":true}',
  },
};
