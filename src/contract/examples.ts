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
      '{"sig":"z2vchyXYdhQKkhStzyfXtCBwac6PAY635g2TrRRUjcyxLewyzQHCS3DnVBh4EzWZRjDy6M5BGhjMfaLRAnPgTPAFn","pk":"z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX"}',
    answer: '{"success":true}',
  },
  authorizeWalletSession: {
    request:
      '{"message":"localhost:8080 wants you to sign in with your Ethereum account:\\n0x4a62316623ad457F02cDC5D997deD67a383EC569\\n\\nSign in to your node.\\n\\nURI: http://localhost:8080\\nVersion: 1\\nChain ID: 1\\nNonce: 1NdFDqdlcPA\\nIssued At: 2023-01-27T09:05:03.250Z","signature":"0x7dd16f49240abf8ec2fadc1c173d643940d17650cc35e4066010bd13eb48277c20877cad4f82f5b076e766616404913e21b973767c4f345664a660570fbeed061b"}',
    answer:
      '{"id":"f3b6c79204339a981e141ed430e50d30905dfd13bd3032bd84d3a179df197335","session":{"domain":"localhost","address":"0x4a62316623ad457f02cdc5d997ded67a383ec569","statement":null,"uri":"http://localhost:8080","version":1,"chainId":1,"nonce":"1NdFDqdlcPA","issuedAt":"2023-01-27 9:05:03.25 +00:00:00","expirationTime":null,"resources":[]}}',
  },
  changeIssue: {
    request: '{"type":"comment","body":"Twice a week.","replyTo":"8c4936c25541eb5092d030e23ed9a3de2d8b623a"}',
    answer: '{"success":true,"id":"09499b3dd3e3d979bab71352758d5cc294c57375"}',
  },
  changePatch: {
    request:
      '{"type":"review","revision":"c6998e42bf37b4ff2e5e670f78aa90c4cab4e5e4","summary":"They sing, too.","verdict":"accept"}',
    answer: '{"success":true,"id":"9870ce73db73cbd18fedac9f05ee63c1ef47f7d1"}',
  },
  compareCommits: {
    answer:
      '{"diff":{"added":[],"deleted":[],"moved":[{"oldPath":"GUIDE.md","newPath":"docs/guide.md","current":{"oid":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","mode":"blob"}},{"oldPath":"plan.txt","newPath":"docs/plan.txt","current":{"oid":"7ee616d6acb37081f3fc27ae436c83764c59ad17","mode":"blob"}}],"copied":[],"modified":[],"stats":{"filesChanged":2,"insertions":0,"deletions":0}},"files":{"1e9f641a0e38548bc168c863bc7503edb7fb7dc2":{"id":"1e9f641a0e38548bc168c863bc7503edb7fb7dc2","binary":false,"content":"# How to grow a tree\\n\\n1. Plant a seed.\\n2. Wait a year.\\n3. Count the rings. There should be one.\\n\\nThen go back to the second step.\\n\\n| Tree | Years until shade |\\n|------|-------------------|\\n| lime | 12 |\\n| oak  | 30 |\\n| yew  | ask your grandchildren |\\n"},"7ee616d6acb37081f3fc27ae436c83764c59ad17":{"id":"7ee616d6acb37081f3fc27ae436c83764c59ad17","binary":false,"content":"Seasons\\nLeaves\\nBirds, once there is room\\n"}},"commits":[{"id":"fafec6ca73acb30acb576500b21bf5fd032b989e","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Move the guide into a folder of its own","description":"","parents":["4d6098be100e8c2dea3ac4373b1aee821ac7ba33"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1779232200}}]}',
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
      "c5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/heads/main\nb327205f06c20e808dcd40b8129d05c4e2c1f01c	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/cobs/xyz.radicle.issue/ab350703d5b80ddae9ae523fe5f7aa8a78883478\ncc3aecace79e800b6328d155393e3a670c807870	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/cobs/xyz.radicle.issue/cc3aecace79e800b6328d155393e3a670c807870\naabc90b843b40868ade5a96c3c5b5f66cd12aebc	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/cobs/xyz.radicle.issue/fae8bbdd740c28cb7b15324593a3474ab43440c0\n1a73cf0a38ba3b36a233e661630ee09b3e83a6f0	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/cobs/xyz.radicle.patch/1a73cf0a38ba3b36a233e661630ee09b3e83a6f0\ne7732a2d0eb69c3da48ff11864d585cda99467ec	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/cobs/xyz.radicle.patch/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa\nc5bbf6885b60f670945df5eee594e1f2527decbd	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/cobs/xyz.radicle.patch/c5bbf6885b60f670945df5eee594e1f2527decbd\n5ae601f1a8f13ae144e16f35bf270f862d873ff8	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/cobs/xyz.radicle.patch/d1b49e5279e8699731a140ee57ff1a62c87b9f63\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/heads/main\n5271a67b1688e18d3c6822aa6caf1748832ebaf4	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/heads/patches/1a73cf0a38ba3b36a233e661630ee09b3e83a6f0\n34d765fb35e77d72082f68dfb861707a8c3380eb	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/heads/patches/c5bbf6885b60f670945df5eee594e1f2527decbd\nb909b8c6d7893862044ca398747f88b673a99630	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/rad/root\n0598b494272b64508a2041a9c147df07bb3bceab	refs/namespaces/z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU/refs/rad/sigrefs\nb909b8c6d7893862044ca398747f88b673a99630	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.id/b909b8c6d7893862044ca398747f88b673a99630\nde55ed4f940f9e82a4fd8a6ad2c817ab2486a5ea	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.issue/34db132ea721bed6a7be4403940ddbf5f0ac2cda\n22ddd14580a5feda385de56160ad4b69704810cd	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.issue/89d11ce1036cb2087b4cee273225d532fa890dbb\nf98badaa7a5db4bb97cbd2220ab32a59e3eacf3b	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.issue/ab350703d5b80ddae9ae523fe5f7aa8a78883478\nb20c65503a8cd5835b69460c753e2e6b25b42d3d	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.issue/cc3aecace79e800b6328d155393e3a670c807870\n62bc340991d1ad0651e8f2ae9cd39c9520b9aebc	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.issue/d59360d7189894bd446c4b1253cf67fffc55b782\n7439bbfc98efed29184cba3158283d493029645b	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.issue/fae8bbdd740c28cb7b15324593a3474ab43440c0\n6e233c0a8b460c99c4b8a6b5062f1121e91b6ebd	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.patch/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa\n5353548aa750effc79b2e7d048cc483a15a971f0	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.patch/b548f3f9ba0623f7f5f24d33e88989ed56382b44\nb42826fa1512c4d442695c39d4cad9041f66ff53	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.patch/c5bbf6885b60f670945df5eee594e1f2527decbd\nf2e8023484db266313763c1e809ed8aedcaee7e2	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.patch/d1b49e5279e8699731a140ee57ff1a62c87b9f63\ne73c743a322602964ce3a55190d31fcbd008c856	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/cobs/xyz.radicle.patch/e2c0a285a318e6790a1ed8e42f38af45cf1cac52\n01f14c5069ef9ddf806ee0eb01f4cb1490b756bb	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/heads/feature/birds\nc5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/heads/main\n01d19f7c54b553743821522f0946e83b75a8db10	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/heads/patches/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa\nb909b8c6d7893862044ca398747f88b673a99630	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/rad/id\nb909b8c6d7893862044ca398747f88b673a99630	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/rad/root\n7eb8f7835db1f58dc7c95426f7a747dcefd36c0f	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/rad/sigrefs\n4991b138d9fe6cd6884bf76afc13a468ab32583d	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/tags/v0.1.0\n4d6098be100e8c2dea3ac4373b1aee821ac7ba33	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/tags/v0.1.0^{}\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX/refs/tags/v0.2.0\n3a3715871f86475f5f991374e04b1c93b430d3b3	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.issue/34db132ea721bed6a7be4403940ddbf5f0ac2cda\n6c6ae5ca0b2741e7fb3bf41897def5e87deb7181	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.issue/cc3aecace79e800b6328d155393e3a670c807870\nd59360d7189894bd446c4b1253cf67fffc55b782	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.issue/d59360d7189894bd446c4b1253cf67fffc55b782\nc1782df42f6b531ecce3ff90ae75fa1a3f946b40	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.issue/fae8bbdd740c28cb7b15324593a3474ab43440c0\n93051095f55b3d19c45cee88317c28e209f25a0c	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.patch/1a73cf0a38ba3b36a233e661630ee09b3e83a6f0\nd4b206a7491bb88e6ff2de03dac854c234f72621	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.patch/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa\n25c17b087072f888411f642228163c21aada93ad	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.patch/b548f3f9ba0623f7f5f24d33e88989ed56382b44\n285ca017cac41744aac575b9e255d71cf4fc7cc4	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.patch/d1b49e5279e8699731a140ee57ff1a62c87b9f63\ncfb43a17509cc24f21b4fdafebb1c61907573a09	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/cobs/xyz.radicle.patch/e2c0a285a318e6790a1ed8e42f38af45cf1cac52\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/heads/main\n10feb06cf19d42064a803619a857d4dce5ed248b	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/heads/patches/b548f3f9ba0623f7f5f24d33e88989ed56382b44\n92d78fbbf2b0afdc3248827366f585205d085d72	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/heads/patches/d1b49e5279e8699731a140ee57ff1a62c87b9f63\n9b0953c1c81ce728e8770e1c5d72ec66ec421ea1	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/heads/patches/e2c0a285a318e6790a1ed8e42f38af45cf1cac52\nb909b8c6d7893862044ca398747f88b673a99630	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/rad/root\n467af18c224b9c0c02a461a4b3857c79db1a55ab	refs/namespaces/z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS/refs/rad/sigrefs\nb909b8c6d7893862044ca398747f88b673a99630	refs/rad/id\n",
  },
  listInventory: {
    answer: '["rad:z2XABjNcMoPjvpZBjK8Nw9Q1dqtrz","rad:z3rEFC3PVdjcDbFVuBSt9JhoTk6X9"]',
  },
  listIssues: {
    answer:
      '[{"id":"d59360d7189894bd446c4b1253cf67fffc55b782","author":{"id":"did:key:z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS","alias":"bob"},"title":"Sell trees by the metre","state":{"status":"closed","reason":"other"},"assignees":[],"discussion":[{"id":"d59360d7189894bd446c4b1253cf67fffc55b782","author":{"id":"did:key:z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS","alias":"bob"},"body":"Standing or lying, the price is the same.","edits":[{"author":{"id":"did:key:z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS","alias":"bob"},"body":"Standing or lying, the price is the same.","timestamp":1780920240,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780920240,"replyTo":null,"resolved":false},{"id":"1e118c38251ef305486f1757280c25a9c09ee818","author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","edits":[{"author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","timestamp":1780935480,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780935480,"replyTo":"d59360d7189894bd446c4b1253cf67fffc55b782","resolved":false}],"labels":[]}]',
  },
  listPatches: {
    answer:
      '[{"id":"5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa","author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa"}],"assignees":[],"revisions":[{"id":"5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa","author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa"],"discussions":[{"id":"d4b206a7491bb88e6ff2de03dac854c234f72621","author":{"id":"did:key:z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[["z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU","😀"]],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}]',
  },
  listPeerRefs: {
    answer:
      "b909b8c6d7893862044ca398747f88b673a99630	refs/cobs/xyz.radicle.id/b909b8c6d7893862044ca398747f88b673a99630\nde55ed4f940f9e82a4fd8a6ad2c817ab2486a5ea	refs/cobs/xyz.radicle.issue/34db132ea721bed6a7be4403940ddbf5f0ac2cda\n22ddd14580a5feda385de56160ad4b69704810cd	refs/cobs/xyz.radicle.issue/89d11ce1036cb2087b4cee273225d532fa890dbb\nf98badaa7a5db4bb97cbd2220ab32a59e3eacf3b	refs/cobs/xyz.radicle.issue/ab350703d5b80ddae9ae523fe5f7aa8a78883478\nb20c65503a8cd5835b69460c753e2e6b25b42d3d	refs/cobs/xyz.radicle.issue/cc3aecace79e800b6328d155393e3a670c807870\n62bc340991d1ad0651e8f2ae9cd39c9520b9aebc	refs/cobs/xyz.radicle.issue/d59360d7189894bd446c4b1253cf67fffc55b782\n7439bbfc98efed29184cba3158283d493029645b	refs/cobs/xyz.radicle.issue/fae8bbdd740c28cb7b15324593a3474ab43440c0\n6e233c0a8b460c99c4b8a6b5062f1121e91b6ebd	refs/cobs/xyz.radicle.patch/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa\n5353548aa750effc79b2e7d048cc483a15a971f0	refs/cobs/xyz.radicle.patch/b548f3f9ba0623f7f5f24d33e88989ed56382b44\nb42826fa1512c4d442695c39d4cad9041f66ff53	refs/cobs/xyz.radicle.patch/c5bbf6885b60f670945df5eee594e1f2527decbd\nf2e8023484db266313763c1e809ed8aedcaee7e2	refs/cobs/xyz.radicle.patch/d1b49e5279e8699731a140ee57ff1a62c87b9f63\ne73c743a322602964ce3a55190d31fcbd008c856	refs/cobs/xyz.radicle.patch/e2c0a285a318e6790a1ed8e42f38af45cf1cac52\n01f14c5069ef9ddf806ee0eb01f4cb1490b756bb	refs/heads/feature/birds\nc5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/heads/main\n01d19f7c54b553743821522f0946e83b75a8db10	refs/heads/patches/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa\nb909b8c6d7893862044ca398747f88b673a99630	refs/rad/id\nb909b8c6d7893862044ca398747f88b673a99630	refs/rad/root\n7eb8f7835db1f58dc7c95426f7a747dcefd36c0f	refs/rad/sigrefs\n4991b138d9fe6cd6884bf76afc13a468ab32583d	refs/tags/v0.1.0\n4d6098be100e8c2dea3ac4373b1aee821ac7ba33	refs/tags/v0.1.0^{}\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/tags/v0.2.0\n",
  },
  listPolicies: {
    answer:
      '[{"id":"rad:z2XABjNcMoPjvpZBjK8Nw9Q1dqtrz","scope":"all","policy":"allow"},{"id":"rad:z3rEFC3PVdjcDbFVuBSt9JhoTk6X9","scope":"all","policy":"allow"},{"id":"rad:z4P6N88VhetTvoUH7RD3LS5LGkuWL","scope":"all","policy":"allow"}]',
  },
  listProjects: {
    answer:
      '[{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:z2XABjNcMoPjvpZBjK8Nw9Q1dqtrz","trackings":1,"seeding":1}]',
  },
  listProjectsOfDelegate: {
    answer:
      '[{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:z2XABjNcMoPjvpZBjK8Nw9Q1dqtrz","trackings":1,"seeding":1}]',
  },
  listRemotes: {
    answer:
      '[{"id":"z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU","alias":"zoë","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/1a73cf0a38ba3b36a233e661630ee09b3e83a6f0":"5271a67b1688e18d3c6822aa6caf1748832ebaf4","patches/c5bbf6885b60f670945df5eee594e1f2527decbd":"34d765fb35e77d72082f68dfb861707a8c3380eb"},"delegate":false},{"id":"z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa":"01d19f7c54b553743821522f0946e83b75a8db10"},"delegate":true},{"id":"z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS","alias":"bob","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/b548f3f9ba0623f7f5f24d33e88989ed56382b44":"10feb06cf19d42064a803619a857d4dce5ed248b","patches/d1b49e5279e8699731a140ee57ff1a62c87b9f63":"92d78fbbf2b0afdc3248827366f585205d085d72","patches/e2c0a285a318e6790a1ed8e42f38af45cf1cac52":"9b0953c1c81ce728e8770e1c5d72ec66ec421ea1"},"delegate":false}]',
  },
  openIssue: {
    request:
      '{"title":"Water the maple","description":"Its leaves hang.","labels":["care"],"assignees":[],"embeds":[]}',
    answer: '{"success":true,"id":"8c4936c25541eb5092d030e23ed9a3de2d8b623a"}',
  },
  openPatch: {
    request:
      '{"title":"Let birds in","description":"They eat the aphids.","target":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","oid":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","labels":[]}',
    answer: '{"success":true,"id":"c6998e42bf37b4ff2e5e670f78aa90c4cab4e5e4"}',
  },
  openSession: {
    answer:
      '{"sessionId":"HcfisgIzEwrBBJbMyTaX6mdhpoui04LO","status":"unauthorized","publicKey":"z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo","issuedAt":1795347894,"expiresAt":1795347954}',
  },
  openWalletSession: {
    answer: '{"id":"f3b6c79204339a981e141ed430e50d30905dfd13bd3032bd84d3a179df197335","nonce":"1NdFDqdlcPA"}',
  },
  seedRepository: {
    answer: '{"success":true}',
  },
  showActivity: {
    answer:
      '{"activity":[1781980200,1781903760,1781132400,1781047920,1780568400,1780420380,1780272360,1780268340,1780120320,1779972300,1779676260,1779528240,1779380220,1779232200,1779084180,1779080160,1778932140,1778784120,1778636100,1778488080,1778340060,1778192040,1778044020]}',
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
  showGitHead: {
    answer: "ref: refs/heads/main\n",
  },
  showIssue: {
    answer:
      '{"id":"8c4936c25541eb5092d030e23ed9a3de2d8b623a","author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"title":"Water the maple","state":{"status":"open"},"assignees":[],"discussion":[{"id":"8c4936c25541eb5092d030e23ed9a3de2d8b623a","author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"body":"Its leaves hang.","edits":[{"author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"body":"Its leaves hang.","timestamp":1795347895,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1795347895,"replyTo":null,"resolved":false},{"id":"09499b3dd3e3d979bab71352758d5cc294c57375","author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"body":"Twice a week.","edits":[{"author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"body":"Twice a week.","timestamp":1795347895,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1795347895,"replyTo":"8c4936c25541eb5092d030e23ed9a3de2d8b623a","resolved":false}],"labels":["care"]}',
  },
  showNode: {
    answer:
      '{"id":"z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","version":"0.1.0-dev","config":null,"state":"stopped"}',
  },
  showPatch: {
    answer:
      '{"id":"5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa","author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa"}],"assignees":[],"revisions":[{"id":"5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa","author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa"],"discussions":[{"id":"d4b206a7491bb88e6ff2de03dac854c234f72621","author":{"id":"did:key:z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6MkuazXNuGnmZYc9cnziPiKzcB1FaruDX6bzYYPNrSSbXAS","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[["z6MkprZPjjFgtQkCpxnFyur8vJ47LQPbBgc52tRFf4gMyZwU","😀"]],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}',
  },
  showPeerHead: {
    answer: "",
  },
  showProfile: {
    answer:
      '{"config":{"publicExplorer":"https://app.radicle.xyz/nodes/$host/$rid$path","preferredSeeds":[],"web":{"pinned":{"repositories":["rad:z2XABjNcMoPjvpZBjK8Nw9Q1dqtrz"]}},"cli":{"hints":false},"node":{"alias":"demo","listen":[],"peers":{"type":"static"},"connect":[],"externalAddresses":[],"network":"test","relay":"never","limits":{"routingMaxSize":1000,"routingMaxAge":604800,"gossipMaxAge":1209600,"fetchConcurrency":1,"maxOpenFiles":4096,"rate":{"inbound":{"fillRate":0.2,"capacity":32},"outbound":{"fillRate":1,"capacity":64}}},"policy":"block","scope":"followed","seedingPolicy":{"default":"block"}}},"home":"/home/me/.cache/xylem/demo-1"}',
  },
  showProject: {
    answer:
      '{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:z2XABjNcMoPjvpZBjK8Nw9Q1dqtrz","trackings":1,"seeding":1}',
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
      '{"id":"z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/5f1a8e4bf20a5c2b43033be7fb02e67a7bd09baa":"01d19f7c54b553743821522f0946e83b75a8db10"},"delegate":true}',
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
      '{"sessionId":"HcfisgIzEwrBBJbMyTaX6mdhpoui04LO","status":"authorized","publicKey":"z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","alias":"demo","issuedAt":1795347894,"expiresAt":1795952695}',
  },
  showStats: {
    answer: '{"projects":{"count":2},"users":{"count":0}}',
  },
  showTree: {
    answer:
      '{"entries":[{"path":"docs/de","name":"de","kind":"tree"},{"path":"docs/日本語","name":"日本語","kind":"tree"},{"path":"docs/guide.md","name":"guide.md","kind":"blob"}],"lastCommit":{"id":"6ef91f5b072cb16072692bc2cb68d60409645bba","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Merge patch: Auf Deutsch: die Anleitung","description":"","parents":["ccad7f9a8e53850cf55be86dd357994e7859d5cb","34d765fb35e77d72082f68dfb861707a8c3380eb"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781132400}},"name":"docs","path":"docs","stats":{"commits":23,"branches":1,"contributors":3}}',
  },
  showVersion: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showVersionWithSlash: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6Mksrds8HCdUT7GZ2KL6NULNQHFwcuftC7rufZ1NQXeH3pX","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showWalletSession: {
    answer:
      '{"id":"f3b6c79204339a981e141ed430e50d30905dfd13bd3032bd84d3a179df197335","session":{"domain":"localhost","address":"0x4a62316623ad457f02cdc5d997ded67a383ec569","statement":null,"uri":"http://localhost:8080","version":1,"chainId":1,"nonce":"1NdFDqdlcPA","issuedAt":"2023-01-27 9:05:03.25 +00:00:00","expirationTime":null,"resources":[]}}',
  },
  unseedRepository: {
    answer: '{"success":true}',
  },
};
