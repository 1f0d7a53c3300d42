/** Pages of lists, as servers write them and as they must not be. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseListPage } from "../../../../extensions/replicas/bucket/s3_list.ts";

const entry = (key: string, size = "1") =>
  `<Contents><Key>${key}</Key><LastModified>2026-11-22T10:00:00.000Z</LastModified>` +
  `<ETag>&quot;abc&quot;</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
const page = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
  `<Name>name</Name><Prefix></Prefix>${content}</ListBucketResult>\n`;
const modifiedMs = Date.UTC(2026, 10, 22, 10);

describe("parseListPage", () => {
  it("reads entries and the token of the next page, wherever it stands", () => {
    const token =
      "<IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b&#x3d;</NextContinuationToken>";
    const entries = [{ key: "a", etag: '"abc"', size: 1, modifiedMs }, {
      key: "b",
      etag: '"abc"',
      size: 2,
      modifiedMs,
    }];
    for (const content of [token + entry("a") + entry("b", "2"), entry("a") + entry("b", "2") + token]) {
      assert.deepEqual(parseListPage(page(content)), { entries, continuation: "a&b=" });
    }
    assert.deepEqual(parseListPage(page(entry("a") + "<IsTruncated>false</IsTruncated>")), {
      entries: entries.slice(0, 1),
      continuation: undefined,
    });
    assert.deepEqual(parseListPage(page("<IsTruncated>false</IsTruncated>")), {
      entries: [],
      continuation: undefined,
    });
  });

  it("adds quotation marks that a server leaves out", () => {
    const content = entry("a").replaceAll("&quot;", "");
    assert.equal(parseListPage(page(content))?.entries[0]?.etag, '"abc"');
  });

  it("takes what is cut or lacks an element for no page", () => {
    const whole = page(entry("a"));
    const wrong = [
      "",
      "<Error><Code>SlowDown</Code></Error>",
      whole.slice(0, -10),
      page(entry("")),
      page(entry("a", "-1")),
      page(entry("a").replace("<Key>a</Key>", "")),
      page(entry("a").replace(/<ETag>.*<\/ETag>/, "")),
      page(entry("a").replace("2026-11-22T10:00:00.000Z", "yesterday")),
      page(`${entry("a")}<IsTruncated>true</IsTruncated>`),
    ];
    for (const xml of wrong) assert.equal(parseListPage(xml), undefined, xml);
  });
});
