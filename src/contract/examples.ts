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
      '{"sig":"z3S4XdBpJ2jT8z5MYxmz7Y3qSmT5fS6dXShbeab7nLLyU9T5A6rVxE9BSGy3z73FnyP4JA74NR6cBYKRQNz8M9mFE","pk":"z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd"}',
    answer: '{"success":true}',
  },
  authorizeWalletSession: {
    request:
      '{"message":"localhost:8080 wants you to sign in with your Ethereum account:\\n0x4a62316623ad457F02cDC5D997deD67a383EC569\\n\\nSign in to your node.\\n\\nURI: http://localhost:8080\\nVersion: 1\\nChain ID: 1\\nNonce: K8uJmvE1eo2\\nIssued At: 2023-01-27T09:05:03.250Z","signature":"0xe67fe6d5c01dd4491a9d284ef0b201023280b801febbc12e1320ec2bbc4a8fe95d1168da8170038654466e79c7c124e2202c4a1fd2c95a9dcde39e0ce0982d991c"}',
    answer:
      '{"id":"feebe5a3f493a5db7d6c9eafb2114caa67a27aa2c62fbb45a66319c3e5e02c83","session":{"domain":"localhost","address":"0x4a62316623ad457f02cdc5d997ded67a383ec569","statement":null,"uri":"http://localhost:8080","version":1,"chainId":1,"nonce":"K8uJmvE1eo2","issuedAt":"2023-01-27 9:05:03.25 +00:00:00","expirationTime":null,"resources":[]}}',
  },
  changeIssue: {
    request: '{"type":"comment","body":"Twice a week.","replyTo":"d94dd0c0c711f4d075224414fec1e9168dd4a750"}',
    answer: '{"success":true,"id":"9896232a0217029531238e7e83ec9f009c95d942"}',
  },
  changePatch: {
    request:
      '{"type":"review","revision":"a192e328e908d697b60c3a9fc1c0a48b25f0be29","summary":"They sing, too.","verdict":"accept"}',
    answer: '{"success":true,"id":"21debd59a971b43098b83cb6765096a8929bc784"}',
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
  listInventory: {
    answer: '["rad:zqMDYXtXeGnFMjSqZsswvbZssMZk","rad:z471vB5WgwbQtRiNDWdn4P2svTPCF"]',
  },
  listIssues: {
    answer:
      '[{"id":"fd2ccbf272dc45d121d6be8a08b25909f5b70fe0","author":{"id":"did:key:z6Mkh2h9a23uqqG86cWHiDXise3qaZpNEqxPmcPoRh7JReaX","alias":"bob"},"title":"Sell trees by the metre","state":{"status":"closed","reason":"other"},"assignees":[],"discussion":[{"id":"fd2ccbf272dc45d121d6be8a08b25909f5b70fe0","author":{"id":"did:key:z6Mkh2h9a23uqqG86cWHiDXise3qaZpNEqxPmcPoRh7JReaX","alias":"bob"},"body":"Standing or lying, the price is the same.","edits":[{"author":{"id":"did:key:z6Mkh2h9a23uqqG86cWHiDXise3qaZpNEqxPmcPoRh7JReaX","alias":"bob"},"body":"Standing or lying, the price is the same.","timestamp":1780920240,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780920240,"replyTo":null,"resolved":false},{"id":"9c1391e8bbe3d5fb33708d43c833bfda34d95ec3","author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","edits":[{"author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"body":"Not here. They grow too slowly to be sold.","timestamp":1780935480,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1780935480,"replyTo":"fd2ccbf272dc45d121d6be8a08b25909f5b70fe0","resolved":false}],"labels":[]}]',
  },
  listPatches: {
    answer:
      '[{"id":"fc96b86170a2d4033edfeafc03e72b980690fd58","author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"fc96b86170a2d4033edfeafc03e72b980690fd58","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"fc96b86170a2d4033edfeafc03e72b980690fd58"}],"assignees":[],"revisions":[{"id":"fc96b86170a2d4033edfeafc03e72b980690fd58","author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/fc96b86170a2d4033edfeafc03e72b980690fd58"],"discussions":[{"id":"a76c86798994509d530e1f020063b441b6692f8e","author":{"id":"did:key:z6Mkh2h9a23uqqG86cWHiDXise3qaZpNEqxPmcPoRh7JReaX","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6Mkh2h9a23uqqG86cWHiDXise3qaZpNEqxPmcPoRh7JReaX","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[["z6MkirRtyoTNjxP88j1nRpfUr7wv1brZDD81pj8o4HtT7WZL","😀"]],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}]',
  },
  listPolicies: {
    answer:
      '[{"id":"rad:zqMDYXtXeGnFMjSqZsswvbZssMZk","scope":"all","policy":"allow"},{"id":"rad:z471vB5WgwbQtRiNDWdn4P2svTPCF","scope":"all","policy":"allow"},{"id":"rad:z41nNkQCTSNdctCp35roHC6WXAuMr","scope":"all","policy":"allow"}]',
  },
  listProjects: {
    answer:
      '[{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:zqMDYXtXeGnFMjSqZsswvbZssMZk","trackings":1,"seeding":1}]',
  },
  listProjectsOfDelegate: {
    answer:
      '[{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:zqMDYXtXeGnFMjSqZsswvbZssMZk","trackings":1,"seeding":1}]',
  },
  listRemotes: {
    answer:
      '[{"id":"z6Mkh2h9a23uqqG86cWHiDXise3qaZpNEqxPmcPoRh7JReaX","alias":"bob","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/0785eedfbea0ea38cc3f12d13059cc7070dd49d1":"9b0953c1c81ce728e8770e1c5d72ec66ec421ea1","patches/495a6fe1f8202c1a6792de7ee059f4142e04a9ee":"92d78fbbf2b0afdc3248827366f585205d085d72","patches/65e44697f1ac49da5c160beeb34fc2238b4d4972":"10feb06cf19d42064a803619a857d4dce5ed248b"},"delegate":false},{"id":"z6MkirRtyoTNjxP88j1nRpfUr7wv1brZDD81pj8o4HtT7WZL","alias":"zoë","heads":{"main":"ccad7f9a8e53850cf55be86dd357994e7859d5cb","patches/33e673dbd70443a03d872555be79aced66253fc6":"5271a67b1688e18d3c6822aa6caf1748832ebaf4","patches/72c9c93407fd981c6e333e144d5cabc94dbc4ad3":"34d765fb35e77d72082f68dfb861707a8c3380eb"},"delegate":false},{"id":"z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/fc96b86170a2d4033edfeafc03e72b980690fd58":"01d19f7c54b553743821522f0946e83b75a8db10"},"delegate":true}]',
  },
  openIssue: {
    request:
      '{"title":"Water the maple","description":"Its leaves hang.","labels":["care"],"assignees":[],"embeds":[]}',
    answer: '{"success":true,"id":"d94dd0c0c711f4d075224414fec1e9168dd4a750"}',
  },
  openPatch: {
    request:
      '{"title":"Let birds in","description":"They eat the aphids.","target":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","oid":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","labels":[]}',
    answer: '{"success":true,"id":"a192e328e908d697b60c3a9fc1c0a48b25f0be29"}',
  },
  openSession: {
    answer:
      '{"sessionId":"eJCvO3o4ifjKkbykq8FzCJNkUoit6nQ4","status":"unauthorized","publicKey":"z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo","issuedAt":1795346318,"expiresAt":1795346378}',
  },
  openWalletSession: {
    answer: '{"id":"feebe5a3f493a5db7d6c9eafb2114caa67a27aa2c62fbb45a66319c3e5e02c83","nonce":"K8uJmvE1eo2"}',
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
  showIssue: {
    answer:
      '{"id":"d94dd0c0c711f4d075224414fec1e9168dd4a750","author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"title":"Water the maple","state":{"status":"open"},"assignees":[],"discussion":[{"id":"d94dd0c0c711f4d075224414fec1e9168dd4a750","author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"body":"Its leaves hang.","edits":[{"author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"body":"Its leaves hang.","timestamp":1795346318,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1795346318,"replyTo":null,"resolved":false},{"id":"9896232a0217029531238e7e83ec9f009c95d942","author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"body":"Twice a week.","edits":[{"author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"body":"Twice a week.","timestamp":1795346318,"embeds":[]}],"embeds":[],"reactions":[],"timestamp":1795346318,"replyTo":"d94dd0c0c711f4d075224414fec1e9168dd4a750","resolved":false}],"labels":["care"]}',
  },
  showNode: {
    answer:
      '{"id":"z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","version":"0.1.0-dev","config":null,"state":"stopped"}',
  },
  showPatch: {
    answer:
      '{"id":"fc96b86170a2d4033edfeafc03e72b980690fd58","author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"title":"Spell chlorophyll","state":{"status":"merged","revision":"fc96b86170a2d4033edfeafc03e72b980690fd58","commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6"},"target":"delegates","labels":[],"merges":[{"author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"commit":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","timestamp":1781984220,"revision":"fc96b86170a2d4033edfeafc03e72b980690fd58"}],"assignees":[],"revisions":[{"id":"fc96b86170a2d4033edfeafc03e72b980690fd58","author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"description":"An h after the c, and two l at the end.","edits":[{"author":{"id":"did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo"},"body":"An h after the c, and two l at the end.","timestamp":1781907780,"embeds":[]}],"reactions":[],"base":"6ef91f5b072cb16072692bc2cb68d60409645bba","oid":"01d19f7c54b553743821522f0946e83b75a8db10","refs":["refs/heads/patches/fc96b86170a2d4033edfeafc03e72b980690fd58"],"discussions":[{"id":"a76c86798994509d530e1f020063b441b6692f8e","author":{"id":"did:key:z6Mkh2h9a23uqqG86cWHiDXise3qaZpNEqxPmcPoRh7JReaX","alias":"bob"},"body":"I never get this one right.","edits":[{"author":{"id":"did:key:z6Mkh2h9a23uqqG86cWHiDXise3qaZpNEqxPmcPoRh7JReaX","alias":"bob"},"body":"I never get this one right.","timestamp":1781988240,"embeds":[]}],"embeds":[],"reactions":[["z6MkirRtyoTNjxP88j1nRpfUr7wv1brZDD81pj8o4HtT7WZL","😀"]],"timestamp":1781988240,"replyTo":null,"location":null,"resolved":false}],"timestamp":1781907780,"reviews":[]}]}',
  },
  showProfile: {
    answer:
      '{"config":{"publicExplorer":"https://app.radicle.xyz/nodes/$host/$rid$path","preferredSeeds":[],"web":{"pinned":{"repositories":["rad:zqMDYXtXeGnFMjSqZsswvbZssMZk"]}},"cli":{"hints":false},"node":{"alias":"demo","listen":[],"peers":{"type":"static"},"connect":[],"externalAddresses":[],"network":"test","relay":"never","limits":{"routingMaxSize":1000,"routingMaxAge":604800,"gossipMaxAge":1209600,"fetchConcurrency":1,"maxOpenFiles":4096,"rate":{"inbound":{"fillRate":0.2,"capacity":32},"outbound":{"fillRate":1,"capacity":64}}},"policy":"block","scope":"followed","seedingPolicy":{"default":"block"}}},"home":"/home/me/.cache/xylem/demo-1"}',
  },
  showProject: {
    answer:
      '{"name":"xylem-demo","description":"A small project to look around in","defaultBranch":"main","delegates":["did:key:z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd"],"visibility":{"type":"public"},"head":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches":{"open":2,"draft":1,"archived":1,"merged":2},"issues":{"open":3,"closed":3},"id":"rad:zqMDYXtXeGnFMjSqZsswvbZssMZk","trackings":1,"seeding":1}',
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
      '{"id":"z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","heads":{"feature/birds":"01f14c5069ef9ddf806ee0eb01f4cb1490b756bb","main":"c5c736a9d52f7ef2b8e8f6acf193447090f01df6","patches/fc96b86170a2d4033edfeafc03e72b980690fd58":"01d19f7c54b553743821522f0946e83b75a8db10"},"delegate":true}',
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
      '{"sessionId":"eJCvO3o4ifjKkbykq8FzCJNkUoit6nQ4","status":"authorized","publicKey":"z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","alias":"demo","issuedAt":1795346318,"expiresAt":1795951118}',
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
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showVersionWithSlash: {
    answer:
      '{"message":"Welcome!","service":"radicle-httpd","version":"0.1.0-dev","nid":"z6MkmjcLv5WD4MxakY3i6hDhEhSRmntCGAvJ2uyFnJXd6asd","path":"/api/v1","links":[{"href":"/projects","rel":"projects","type":"GET"},{"href":"/node","rel":"node","type":"GET"},{"href":"/delegates/:did/projects","rel":"projects","type":"GET"},{"href":"/profile","rel":"profile","type":"GET"},{"href":"/stats","rel":"stats","type":"GET"}]}',
  },
  showWalletSession: {
    answer:
      '{"id":"feebe5a3f493a5db7d6c9eafb2114caa67a27aa2c62fbb45a66319c3e5e02c83","session":{"domain":"localhost","address":"0x4a62316623ad457f02cdc5d997ded67a383ec569","statement":null,"uri":"http://localhost:8080","version":1,"chainId":1,"nonce":"K8uJmvE1eo2","issuedAt":"2023-01-27 9:05:03.25 +00:00:00","expirationTime":null,"resources":[]}}',
  },
  unseedRepository: {
    answer: '{"success":true}',
  },
};
