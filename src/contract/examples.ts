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
      '{"sig":"z2cwbV3yLfUgo5AMNfBZieF98TuXgYRsUhb5G4BE57ztrWfVxPmBrsnbYLUgY19r8hKrLy3Qpqzeoa8eToHcD3MBC","pk":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6"}',
    answer: '{"success":true}',
  },
  authorizeWalletSession: {
    request:
      '{"message":"localhost:8080 wants you to sign in with your Ethereum account:\\n0x4a62316623ad457F02cDC5D997deD67a383EC569\\n\\nSign in to your node.\\n\\nURI: http://localhost:8080\\nVersion: 1\\nChain ID: 1\\nNonce: hQ4jO9mn1ak\\nIssued At: 2023-01-27T09:05:03.250Z","signature":"0x9272c993e3c0a7197f0f37dea081bef03c1779a4d96154ac2dc2587375c67e440badae0f48cfc3837f7c4bf95ca0afa03189dcc3207c627f87d90559978e06021b"}',
    answer:
      '{"id":"ed91e429404c15571c859837ff228a0b9f6433a04f93fe2578251fe57a5acb8a","session":{"domain":"localhost","address":"0x4a62316623ad457f02cdc5d997ded67a383ec569","statement":null,"uri":"http://localhost:8080","version":1,"chainId":1,"nonce":"hQ4jO9mn1ak","issuedAt":"2023-01-27 9:05:03.25 +00:00:00","expirationTime":null,"resources":[]}}',
  },
  changeIssue: {
    request: '{"type":"comment","body":"Twice a week.","replyTo":"22a381f8287a031c99d2fc2a3439c383ac79d116"}',
    answer: '{"success":true,"id":"d4b215e0955dade76013b51834094ac6eb3c7a58"}',
  },
  changePatch: {
    request:
      '{"type":"review","revision":"f3590ab3d256419288207580b908182d343091f4","summary":"They sing, too.","verdict":"accept"}',
    answer: '{"success":true,"id":"4ab20fad70356704b90effb72595ff58a64c71c2"}',
  },
  changeRepoIssue: {
    request: '{"type":"label","labels":["care","trees"]}',
    answer: '{"success":true,"id":"7fb9d457f393327f95623de7fc8c064a9cc3f998"}',
  },
  changeRepoPatch: {
    request: '{"type":"edit","title":"Move the maple","target":{"branch":"refs/heads/main"}}',
    answer: '{"success":true,"id":"b4ad1c6a4db3106a2f1501e8310225116a0fd355"}',
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
      "c5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/heads/main\nf97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.id/f97b8a8caae7c4e18a11763bffdd12a1274b797b\n6137c55f32c5b4f37fe29408592d897ca729c6a4	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.issue/1b2700ab504b3cc43769dd18cc4a2aae7cbfdcca\nefe264b7dcb77ba856411df5df85c995b1b09773	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.issue/2f4227f08ddddbd42f3a73d8dd398a4109da3588\n6cce16a0f266938215aa345f90fcba9410b0e675	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.issue/4e30cd9803443c51f3e0cd9e6c303ba5e88124ea\n41591021baf798cc844116e9282b9a7928639ae8	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.issue/c18b154bccb83be0f92eb0498d341e9825c9ec9e\nccdb2690efccc3b49f23f5bb36377e036f84c608	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.issue/e347774c1465541d46d971290d117716933c1e48\nb80df6bcc9218234d66712fc02b1b14eeab4cf17	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.issue/fbf14d155285d7109c16501422ed6775cbddf16c\n9016d5f622e193e56977f2b3c34c83a26afef477	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.patch/49cc093f92241e881469afe2ca434b26de904f76\n6d6151ceb978157f9fcb12c18c83d655cd3f2825	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.patch/7b94c533d56d9a805bd94106300539c983901238\n5d6a05f9ea1046cb093dc8c18026dd266edd8634	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.patch/ad78a02f35adef77358f7d9dfd7532d65eb016f7\n6c855e79f06d03bcd78ae14193bbdf06df2b23f5	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.patch/b3e28392f19d317d5fa67a1ffdc134dcdbde4962\n410cec78a5f07a4c5b62a1f963eb5d807fa04c23	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/cobs/xyz.radicle.patch/cce1d1c416e9245979aae676e866763d9236c192\n01f14c5069ef9ddf806ee0eb01f4cb1490b756bb	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/heads/feature/birds\nc5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/heads/main\n01d19f7c54b553743821522f0946e83b75a8db10	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/heads/patches/cce1d1c416e9245979aae676e866763d9236c192\nf97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/rad/id\nf97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/rad/root\nbfc294a1ab791513e661ccf773b3886cf22641d5	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/rad/sigrefs\n4991b138d9fe6cd6884bf76afc13a468ab32583d	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/tags/v0.1.0\n4d6098be100e8c2dea3ac4373b1aee821ac7ba33	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/tags/v0.1.0^{}\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6/refs/tags/v0.2.0\nbcbc5a5a43d7da5b78f6acaf36ba21920ba5acac	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.issue/1b2700ab504b3cc43769dd18cc4a2aae7cbfdcca\nb8ebe2a5bfeb342b2e2de02cc84ae22238a7b641	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.issue/2f4227f08ddddbd42f3a73d8dd398a4109da3588\nc18b154bccb83be0f92eb0498d341e9825c9ec9e	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.issue/c18b154bccb83be0f92eb0498d341e9825c9ec9e\ndba8fc4ab10a17870f465529902b95766b09f741	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.issue/fbf14d155285d7109c16501422ed6775cbddf16c\n37f0f7e95a90944959f5a249232b684428a5e704	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.patch/0430d3dd5729edc646bfcac29274bb55050e2f9e\n38e7c84024f8b96d874a6158a1b51d6cf743b65e	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.patch/49cc093f92241e881469afe2ca434b26de904f76\nc8cbdadb6c6b390b39fdaa4e7d30f54c8c26f05f	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.patch/7b94c533d56d9a805bd94106300539c983901238\n6c6cce1fb1dbba188b945762a994eb1471e7b7b7	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.patch/ad78a02f35adef77358f7d9dfd7532d65eb016f7\nd1460df3d7d209d6bd8c15890bf4287c6345e730	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/cobs/xyz.radicle.patch/cce1d1c416e9245979aae676e866763d9236c192\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/heads/main\n10feb06cf19d42064a803619a857d4dce5ed248b	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/heads/patches/49cc093f92241e881469afe2ca434b26de904f76\n92d78fbbf2b0afdc3248827366f585205d085d72	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/heads/patches/7b94c533d56d9a805bd94106300539c983901238\n9b0953c1c81ce728e8770e1c5d72ec66ec421ea1	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/heads/patches/ad78a02f35adef77358f7d9dfd7532d65eb016f7\nf97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/rad/root\n5d63f5479fad75410844fc3503424c23caed153c	refs/namespaces/z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD/refs/rad/sigrefs\n2f4227f08ddddbd42f3a73d8dd398a4109da3588	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/cobs/xyz.radicle.issue/2f4227f08ddddbd42f3a73d8dd398a4109da3588\nfd98eca3d12713626383708b9d684c0208d87b1d	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/cobs/xyz.radicle.issue/e347774c1465541d46d971290d117716933c1e48\nd89fad2f4cd41763578224387f28b3f1112396c5	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/cobs/xyz.radicle.issue/fbf14d155285d7109c16501422ed6775cbddf16c\n0430d3dd5729edc646bfcac29274bb55050e2f9e	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/cobs/xyz.radicle.patch/0430d3dd5729edc646bfcac29274bb55050e2f9e\nadbb3e7199e4e5d981de20e53d245346281640f7	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/cobs/xyz.radicle.patch/7b94c533d56d9a805bd94106300539c983901238\nb3e28392f19d317d5fa67a1ffdc134dcdbde4962	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/cobs/xyz.radicle.patch/b3e28392f19d317d5fa67a1ffdc134dcdbde4962\n4023a0ecf4847755204e5bd5ff42819ca8eb3fec	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/cobs/xyz.radicle.patch/cce1d1c416e9245979aae676e866763d9236c192\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/heads/main\n5271a67b1688e18d3c6822aa6caf1748832ebaf4	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/heads/patches/0430d3dd5729edc646bfcac29274bb55050e2f9e\n34d765fb35e77d72082f68dfb861707a8c3380eb	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/heads/patches/b3e28392f19d317d5fa67a1ffdc134dcdbde4962\nf97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/rad/root\n6ed5aa1cfb90f95f26ea906eb063b66cd318e172	refs/namespaces/z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa/refs/rad/sigrefs\nf97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/rad/id\n",
  },
  listInventory: {
    answer: '["rad:zZX95G38sVkpYLPsEb56XCTZUwtn","rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe"]',
  },
  listIssues: {
    answer:
      '[{"id":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"title":"Sell trees by the metre","state":{"status":"closed","reason":"other"},"assignees":[],"discussion":[{"id":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"Standing or lying, the price is the same.","edits":[{"author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"Standing or lying, the price is the same.","timestamp":1780920240,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780920240,"replyTo":null,"resolved":false},{"id":"bb23964e9cce6c52f28ef25ecbd218155636f5af","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","timestamp":1780935480,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780935480,"replyTo":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","resolved":false}],"labels":[]}]',
  },
  listJobs: {
    answer: "[]",
  },
  listPatches: {
    answer:
      '[{"id":"cce1d1c416e9245979aae676e866763d9236c192","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"cce1d1c416e9245979aae676e866763d9236c192","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"cce1d1c416e9245979aae676e866763d9236c192"}],"assignees":[],"revisions":[{"id":"cce1d1c416e9245979aae676e866763d9236c192","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/cce1d1c416e9245979aae676e866763d9236c192"],"discussions":[{"id":"d1460df3d7d209d6bd8c15890bf4287c6345e730","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[["z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa","😀"]],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}]',
  },
  listPeerRefs: {
    answer:
      "f97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/cobs/xyz.radicle.id/f97b8a8caae7c4e18a11763bffdd12a1274b797b\n6137c55f32c5b4f37fe29408592d897ca729c6a4	refs/cobs/xyz.radicle.issue/1b2700ab504b3cc43769dd18cc4a2aae7cbfdcca\nefe264b7dcb77ba856411df5df85c995b1b09773	refs/cobs/xyz.radicle.issue/2f4227f08ddddbd42f3a73d8dd398a4109da3588\n6cce16a0f266938215aa345f90fcba9410b0e675	refs/cobs/xyz.radicle.issue/4e30cd9803443c51f3e0cd9e6c303ba5e88124ea\n41591021baf798cc844116e9282b9a7928639ae8	refs/cobs/xyz.radicle.issue/c18b154bccb83be0f92eb0498d341e9825c9ec9e\nccdb2690efccc3b49f23f5bb36377e036f84c608	refs/cobs/xyz.radicle.issue/e347774c1465541d46d971290d117716933c1e48\nb80df6bcc9218234d66712fc02b1b14eeab4cf17	refs/cobs/xyz.radicle.issue/fbf14d155285d7109c16501422ed6775cbddf16c\n9016d5f622e193e56977f2b3c34c83a26afef477	refs/cobs/xyz.radicle.patch/49cc093f92241e881469afe2ca434b26de904f76\n6d6151ceb978157f9fcb12c18c83d655cd3f2825	refs/cobs/xyz.radicle.patch/7b94c533d56d9a805bd94106300539c983901238\n5d6a05f9ea1046cb093dc8c18026dd266edd8634	refs/cobs/xyz.radicle.patch/ad78a02f35adef77358f7d9dfd7532d65eb016f7\n6c855e79f06d03bcd78ae14193bbdf06df2b23f5	refs/cobs/xyz.radicle.patch/b3e28392f19d317d5fa67a1ffdc134dcdbde4962\n410cec78a5f07a4c5b62a1f963eb5d807fa04c23	refs/cobs/xyz.radicle.patch/cce1d1c416e9245979aae676e866763d9236c192\n01f14c5069ef9ddf806ee0eb01f4cb1490b756bb	refs/heads/feature/birds\nc5c736a9d52f7ef2b8e8f6acf193447090f01df6	refs/heads/main\n01d19f7c54b553743821522f0946e83b75a8db10	refs/heads/patches/cce1d1c416e9245979aae676e866763d9236c192\nf97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/rad/id\nf97b8a8caae7c4e18a11763bffdd12a1274b797b	refs/rad/root\nbfc294a1ab791513e661ccf773b3886cf22641d5	refs/rad/sigrefs\n4991b138d9fe6cd6884bf76afc13a468ab32583d	refs/tags/v0.1.0\n4d6098be100e8c2dea3ac4373b1aee821ac7ba33	refs/tags/v0.1.0^{}\nccad7f9a8e53850cf55be86dd357994e7859d5cb	refs/tags/v0.2.0\n",
  },
  listPolicies: {
    answer:
      '[{"id":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","scope":"all","policy":"allow"},{"id":"rad:zZX95G38sVkpYLPsEb56XCTZUwtn","scope":"all","policy":"allow"},{"id":"rad:z34RMqiBXb1sVRBWYSQysSpWRpkMG","scope":"all","policy":"allow"}]',
  },
  listProjects: {
    answer:
      '[{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","trackings":1,"seeding":1}]',
  },
  listProjectsOfDelegate: {
    answer:
      '[{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","trackings":1,"seeding":1}]',
  },
  listRemotes: {
    answer:
      '[{"id":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/cce1d1c416e9245979aae676e866763d9236c192":"01d19f7c54b553743821522f0946e83b75a8db10"},"delegate":true},{"id":"z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/49cc093f92241e881469afe2ca434b26de904f76":"10feb06cf19d42064a803619a857d4dce5ed248b","patches/7b94c533d56d9a805bd94106300539c983901238":"92d78fbbf2b0afdc3248827366f585205d085d72","patches/ad78a02f35adef77358f7d9dfd7532d65eb016f7":"9b0953c1c81ce728e8770e1c5d72ec66ec421ea1"},"delegate":false},{"id":"z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa","alias":"zoë","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/0430d3dd5729edc646bfcac29274bb55050e2f9e":"5271a67b1688e18d3c6822aa6caf1748832ebaf4","patches/b3e28392f19d317d5fa67a1ffdc134dcdbde4962":"34d765fb35e77d72082f68dfb861707a8c3380eb"},"delegate":false}]',
  },
  listRepoCommits: {
    answer:
      '[{"id":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Merge patch: Spell chlorophyll","description":"","parents":["6ef91f5b072cb16072692bc2cb68d60409645bba","01d19f7c54b553743821522f0946e83b75a8db10"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781980200}},{"id":"01d19f7c54b553743821522f0946e83b75a8db10","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Spell chlorophyll","description":"","parents":["6ef91f5b072cb16072692bc2cb68d60409645bba"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1781903760}}]',
  },
  listRepoIssues: {
    answer:
      '[{"id":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"title":"Sell trees by the metre","state":{"status":"closed","reason":"other"},"assignees":[],"discussion":[{"id":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"Standing or lying, the price is the same.","edits":[{"author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"Standing or lying, the price is the same.","timestamp":1780920240,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780920240,"replyTo":null,"resolved":false},{"id":"bb23964e9cce6c52f28ef25ecbd218155636f5af","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","timestamp":1780935480,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780935480,"replyTo":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","resolved":false}],"labels":[]}]',
  },
  listRepoPatches: {
    answer:
      '[{"id":"cce1d1c416e9245979aae676e866763d9236c192","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"cce1d1c416e9245979aae676e866763d9236c192","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"cce1d1c416e9245979aae676e866763d9236c192"}],"assignees":[],"revisions":[{"id":"cce1d1c416e9245979aae676e866763d9236c192","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/cce1d1c416e9245979aae676e866763d9236c192"],"discussions":[{"id":"d1460df3d7d209d6bd8c15890bf4287c6345e730","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[{"emoji":"😀","authors":[{"id":"did:key:z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa","alias":"zoë"}]}],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}]',
  },
  listRepoRemotes: {
    answer:
      '[{"id":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/cce1d1c416e9245979aae676e866763d9236c192":"01d19f7c54b553743821522f0946e83b75a8db10"},"refs":{"refs/heads/feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","refs/heads/patches/cce1d1c416e9245979aae676e866763d9236c192":"01d19f7c54b553743821522f0946e83b75a8db10","refs/tags/v0.1.0":"4d6098be100e8c2dea3ac4373b1aee821ac7ba33","refs/tags/v0.2.0":"ccad7f9a8e53850cf55be86dd357994e7859d5cb"},"delegate":true},{"id":"z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/49cc093f92241e881469afe2ca434b26de904f76":"10feb06cf19d42064a803619a857d4dce5ed248b","patches/7b94c533d56d9a805bd94106300539c983901238":"92d78fbbf2b0afdc3248827366f585205d085d72","patches/ad78a02f35adef77358f7d9dfd7532d65eb016f7":"9b0953c1c81ce728e8770e1c5d72ec66ec421ea1"},"refs":{"refs/heads/main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","refs/heads/patches/49cc093f92241e881469afe2ca434b26de904f76":"10feb06cf19d42064a803619a857d4dce5ed248b","refs/heads/patches/7b94c533d56d9a805bd94106300539c983901238":"92d78fbbf2b0afdc3248827366f585205d085d72","refs/heads/patches/ad78a02f35adef77358f7d9dfd7532d65eb016f7":"9b0953c1c81ce728e8770e1c5d72ec66ec421ea1"},"delegate":false},{"id":"z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa","alias":"zoë","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/0430d3dd5729edc646bfcac29274bb55050e2f9e":"5271a67b1688e18d3c6822aa6caf1748832ebaf4","patches/b3e28392f19d317d5fa67a1ffdc134dcdbde4962":"34d765fb35e77d72082f68dfb861707a8c3380eb"},"refs":{"refs/heads/main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","refs/heads/patches/0430d3dd5729edc646bfcac29274bb55050e2f9e":"5271a67b1688e18d3c6822aa6caf1748832ebaf4","refs/heads/patches/b3e28392f19d317d5fa67a1ffdc134dcdbde4962":"34d765fb35e77d72082f68dfb861707a8c3380eb"},"delegate":false}]',
  },
  listRepos: {
    answer:
      '[{"payloads":{"xyz.radicle.project":{"data":{"defaultBranch":"main","description":"A small project to look around in","name":"xylem-demo"},"meta":{"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","issues":{"open":3,"closed":3},"patches":{"open":2,"draft":1,"archived":1,"merged":2}}}},"delegates":[{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"}],"threshold":1,"visibility":{"type":"public"},"rid":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","seeding":1,"refs":{"tags":{},"refs":{"refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"}}}]',
  },
  listReposOfDelegate: {
    answer:
      '[{"payloads":{"xyz.radicle.project":{"data":{"defaultBranch":"main","description":"A small project to look around in","name":"xylem-demo"},"meta":{"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","issues":{"open":3,"closed":3},"patches":{"open":2,"draft":1,"archived":1,"merged":2}}}},"delegates":[{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"}],"threshold":1,"visibility":{"type":"public"},"rid":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","seeding":1,"refs":{"tags":{},"refs":{"refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"}}}]',
  },
  listTodayInventory: {
    answer: '["rad:zZX95G38sVkpYLPsEb56XCTZUwtn","rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe"]',
  },
  listTodayPolicies: {
    answer:
      '[{"rid":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","policy":{"policy":"allow","scope":"all"}},{"rid":"rad:zZX95G38sVkpYLPsEb56XCTZUwtn","policy":{"policy":"allow","scope":"all"}},{"rid":"rad:z34RMqiBXb1sVRBWYSQysSpWRpkMG","policy":{"policy":"allow","scope":"all"}}]',
  },
  openIssue: {
    request:
      '{"title":"Water the maple","description":"Its leaves hang.","labels":["care"],"assignees":[],"embeds":[]}',
    answer: '{"success":true,"id":"22a381f8287a031c99d2fc2a3439c383ac79d116"}',
  },
  openPatch: {
    request:
      '{"title":"Let birds in","description":"They eat the aphids.","target":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","oid":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","labels":[]}',
    answer: '{"success":true,"id":"f3590ab3d256419288207580b908182d343091f4"}',
  },
  openRepoIssue: {
    request:
      '{"title":"Prune the apple tree","description":"Before it buds.","labels":["care"],"assignees":[],"embeds":[]}',
    answer: '{"success":true,"id":"611df0ecf528724edecfecd22d86ed7f850b9666"}',
  },
  openRepoPatch: {
    request:
      '{"title":"Move the maple","description":"It wants shade.","target":"4d6098be100e8c2dea3ac4373b1aee821ac7ba33","oid":"fafec6ca73acb30acb576500b21bf5fd032b989e","labels":[]}',
    answer: '{"success":true,"id":"af59c8057a8e89b52e70a4a7dcfc5b14353bc3c6"}',
  },
  openSession: {
    answer:
      '{"sessionId":"dtJfDqtzqwsXtWGsKyYTj4l2wkUhVE28","status":"unauthorized","publicKey":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo","issuedAt":1795349311,"expiresAt":1795349371}',
  },
  openWalletSession: {
    answer: '{"id":"ed91e429404c15571c859837ff228a0b9f6433a04f93fe2578251fe57a5acb8a","nonce":"hQ4jO9mn1ak"}',
  },
  search: {
    answer:
      '[{"type":"patch","rid":"rad:z34ehr9vYvURpWUJYFToNM6A3wEpK","name":"xylem-demo","id":"cf09fc5fc3bee20d8117caa3e351c7443b4deab7","title":"Move the maple","status":"open","excerpt":"It wants shade."}]',
  },
  searchRepos: {
    answer:
      '[{"rid":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","payloads":{"xyz.radicle.project":{"defaultBranch":"main","description":"A small project to look around in","name":"xylem-demo"}},"delegates":[{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"}],"seeds":1}]',
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
      '{"id":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","agent":"/radicle/","config":null,"state":"stopped"}',
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
      '{"node":{"id":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","agent":"/radicle/","config":null,"state":"stopped"},"httpd":{"searchAvailable":false}}',
  },
  showIssue: {
    answer:
      '{"id":"22a381f8287a031c99d2fc2a3439c383ac79d116","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"title":"Water the maple","state":{"status":"open"},"assignees":[],"discussion":[{"id":"22a381f8287a031c99d2fc2a3439c383ac79d116","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Its leaves hang.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Its leaves hang.","timestamp":1795349311,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1795349311,"replyTo":null,"resolved":false},{"id":"d4b215e0955dade76013b51834094ac6eb3c7a58","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Twice a week.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Twice a week.","timestamp":1795349311,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1795349311,"replyTo":"22a381f8287a031c99d2fc2a3439c383ac79d116","resolved":false}],"labels":["care"]}',
  },
  showNode: {
    answer:
      '{"id":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","version":"0.1.0-dev","config":null,"state":"stopped"}',
  },
  showNodeByIdOfBoth: {
    answer:
      '{"alias":"demo","did":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","ssh":{"full":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGfSFutZzHzUboEQrew4gamHx12I/3JQSBJOR/43nxKv","hash":"SHA256:ULoi1yq8j5BsuYNZ8TZPU6VJukUN2UC9H2eAZsuLkG8"}}',
  },
  showNodeOfBoth: {
    answer:
      '{"id":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","version":"0.1.0-dev","config":null,"state":"stopped","agent":"/radicle/"}',
  },
  showOtherNode: {
    answer:
      '{"alias":"demo","did":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","ssh":{"full":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGfSFutZzHzUboEQrew4gamHx12I/3JQSBJOR/43nxKv","hash":"SHA256:ULoi1yq8j5BsuYNZ8TZPU6VJukUN2UC9H2eAZsuLkG8"}}',
  },
  showPatch: {
    answer:
      '{"id":"cce1d1c416e9245979aae676e866763d9236c192","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"cce1d1c416e9245979aae676e866763d9236c192","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"cce1d1c416e9245979aae676e866763d9236c192"}],"assignees":[],"revisions":[{"id":"cce1d1c416e9245979aae676e866763d9236c192","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/cce1d1c416e9245979aae676e866763d9236c192"],"discussions":[{"id":"d1460df3d7d209d6bd8c15890bf4287c6345e730","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[["z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa","😀"]],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}',
  },
  showPeerHead: {
    answer: "",
  },
  showPolicy: {
    answer: '{"policy":"allow","scope":"all"}',
  },
  showProfile: {
    answer:
      '{"config":{"publicExplorer":"https://app.radicle.xyz/nodes/$host/$rid$path","preferredSeeds":[],"web":{"pinned":{"repositories":["rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe"]}},"cli":{"hints":false},"node":{"alias":"demo","listen":[],"peers":{"type":"static"},"connect":[],"externalAddresses":[],"network":"test","relay":"never","limits":{"routingMaxSize":1000,"routingMaxAge":604800,"gossipMaxAge":1209600,"fetchConcurrency":1,"maxOpenFiles":4096,"rate":{"inbound":{"fillRate":0.2,"capacity":32},"outbound":{"fillRate":1,"capacity":64}}},"policy":"block","scope":"followed","seedingPolicy":{"default":"block"}}},"home":"/home/me/.cache/xylem/demo-1"}',
  },
  showProject: {
    answer:
      '{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","trackings":1,"seeding":1}',
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
      '{"id":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/cce1d1c416e9245979aae676e866763d9236c192":"01d19f7c54b553743821522f0946e83b75a8db10"},"delegate":true}',
  },
  showRepo: {
    answer:
      '{"payloads":{"xyz.radicle.project":{"data":{"defaultBranch":"main","description":"A small project to look around in","name":"xylem-demo"},"meta":{"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","issues":{"open":3,"closed":3},"patches":{"open":2,"draft":1,"archived":1,"merged":2}}}},"delegates":[{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"}],"threshold":1,"visibility":{"type":"public"},"rid":"rad:z396Dx2ctZRuSDFFZdUnWWdBZJsSe","seeding":1,"refs":{"tags":{},"refs":{"refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"}}}',
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
      '{"id":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"title":"Sell trees by the metre","state":{"status":"closed","reason":"other"},"assignees":[],"discussion":[{"id":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"Standing or lying, the price is the same.","edits":[{"author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"Standing or lying, the price is the same.","timestamp":1780920240,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780920240,"replyTo":null,"resolved":false},{"id":"bb23964e9cce6c52f28ef25ecbd218155636f5af","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","timestamp":1780935480,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780935480,"replyTo":"c18b154bccb83be0f92eb0498d341e9825c9ec9e","resolved":false}],"labels":[]}',
  },
  showRepoPatch: {
    answer:
      '{"id":"cce1d1c416e9245979aae676e866763d9236c192","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"cce1d1c416e9245979aae676e866763d9236c192","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"cce1d1c416e9245979aae676e866763d9236c192"}],"assignees":[],"revisions":[{"id":"cce1d1c416e9245979aae676e866763d9236c192","author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/cce1d1c416e9245979aae676e866763d9236c192"],"discussions":[{"id":"d1460df3d7d209d6bd8c15890bf4287c6345e730","author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6MkouXVMs7eqWUQ7YrUyPv7mYj7Zcjctp9eCJHh4ZJuQ8cD","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[{"emoji":"😀","authors":[{"id":"did:key:z6MkuPkQLzVD7TFhxqMWAVuyHZ7nF5qRuRjgZexBjKxwJnQa","alias":"zoë"}]}],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}',
  },
  showRepoReadme: {
    answer:
      '{"binary":false,"name":"README.md","content":"# xylem-demo\\n\\nA small project to look around in: it has a history with branches, merges and renames, a few issues and patches, and a picture.\\n\\n![A leaf](assets/leaf.png)\\n\\n```ts\\nimport { grow, plant } from \\"./src/tree.ts\\";\\n\\nconsole.log(grow(plant(\\"lime\\"), 12));\\n```\\n\\nMore in [the guide](docs/guide.md). Everything here is in the public domain.\\n","path":"README.md","lastCommit":{"id":"98404cccba8e917c750457c4e68d3f63f7651c9a","author":{"name":"Alice Arbor","email":"alice@example.org"},"summary":"Link the guide where it is looked for","description":"","parents":["40e6972a6375af592d4da5e798179ccd6854d586"],"committer":{"name":"Alice Arbor","email":"alice@example.org","time":1779528240}}}',
  },
  showRepoRemote: {
    answer:
      '{"id":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/cce1d1c416e9245979aae676e866763d9236c192":"01d19f7c54b553743821522f0946e83b75a8db10"},"refs":{"refs/heads/feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","refs/heads/main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","refs/heads/patches/cce1d1c416e9245979aae676e866763d9236c192":"01d19f7c54b553743821522f0946e83b75a8db10","refs/tags/v0.1.0":"4d6098be100e8c2dea3ac4373b1aee821ac7ba33","refs/tags/v0.2.0":"ccad7f9a8e53850cf55be86dd357994e7859d5cb"},"delegate":true}',
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
      '{"sessionId":"dtJfDqtzqwsXtWGsKyYTj4l2wkUhVE28","status":"authorized","publicKey":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","alias":"demo","issuedAt":1795349311,"expiresAt":1795954111}',
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
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","apiVersion":"6.1.0","nid":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","path":"/api/v1","links":[{"href":"/repos","rel":"repos","type":"GET"},{"href":"/repos/:rid","rel":"repo","type":"GET"},{"href":"/info","rel":"info","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/nodes/:nid","rel":"node","type":"GET"},{"href":"/delegates/:did/repos","rel":"repos","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showTodayVersionWithSlash: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","apiVersion":"6.1.0","nid":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","path":"/api/v1","links":[{"href":"/repos","rel":"repos","type":"GET"},{"href":"/repos/:rid","rel":"repo","type":"GET"},{"href":"/info","rel":"info","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/nodes/:nid","rel":"node","type":"GET"},{"href":"/delegates/:did/repos","rel":"repos","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
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
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showVersionOfBoth: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"},{"href":"/repos","rel":"repos","type":"GET"},{"href":"/repos/:rid","rel":"repo","type":"GET"},{"href":"/info","rel":"info","type":"GET"},{"href":"/nodes/:nid","rel":"node","type":"GET"},{"href":"/delegates/:did/repos","rel":"repos","type":"GET"}],"apiVersion":"6.1.0"}',
  },
  showVersionOfBothWithSlash: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"},{"href":"/repos","rel":"repos","type":"GET"},{"href":"/repos/:rid","rel":"repo","type":"GET"},{"href":"/info","rel":"info","type":"GET"},{"href":"/nodes/:nid","rel":"node","type":"GET"},{"href":"/delegates/:did/repos","rel":"repos","type":"GET"}],"apiVersion":"6.1.0"}',
  },
  showVersionWithSlash: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkmSXqpjg9QQmPpKXwMt2ztDiMtgSAefEfnSPtRAoQg7i6","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showWalletSession: {
    answer:
      '{"id":"ed91e429404c15571c859837ff228a0b9f6433a04f93fe2578251fe57a5acb8a","session":{"domain":"localhost","address":"0x4a62316623ad457f02cdc5d997ded67a383ec569","statement":null,"uri":"http://localhost:8080","version":1,"chainId":1,"nonce":"hQ4jO9mn1ak","issuedAt":"2023-01-27 9:05:03.25 +00:00:00","expirationTime":null,"resources":[]}}',
  },
  unseedRepository: {
    answer: '{"success":true}',
  },
};
