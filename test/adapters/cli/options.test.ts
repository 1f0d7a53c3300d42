/** What may be written on the command line. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_MEMORY_BYTES, leastMemoryBytes } from "../../../src/cache/memory.ts";
import { UsageError } from "../../../adapters/cli/command_line.ts";
import { helpOf } from "../../../adapters/cli/help.ts";
import { PUBLISH_OPTIONS, SERVE_OPTIONS, SESSION_OPTIONS } from "../../../adapters/cli/options.ts";
import { parseCommand, type ServeCommand } from "../../../adapters/cli/parse_command.ts";
import { DEFAULT_ADDRESS } from "../../../adapters/server/address.ts";

const DEFAULTS: ServeCommand = { verb: "serve", listen: [DEFAULT_ADDRESS], sessions: "memory" };

describe("parseCommand", () => {
  it("serves on 127.0.0.1:8080 without any argument", () => {
    assert.deepEqual(parseCommand([]), DEFAULTS);
    assert.deepEqual(parseCommand(["serve"]), DEFAULTS);
    assert.deepEqual(DEFAULT_ADDRESS, { transport: "tcp", hostname: "127.0.0.1", port: 8080 });
  });

  it("reads every option", () => {
    const wallet = "0x" + "aB".repeat(20);
    const args = ["--listen", "[::1]:0", "--listen=unix:/x", "--home", "/h", "--behind-proxy"];
    args.push(
      "--sign-in",
      "wallet",
      "--wallet",
      wallet,
      "--chain=5",
      "--chain",
      "1",
      "--evaluation=2024",
      "--api",
      "today",
      "--alias",
      "heart",
      "z3gqcJUoA1n9HaHKufZs5FCSGazv5",
      "--answers",
      "objects",
      "--object-time",
      "7",
      "--no-page",
      "--sessions",
      "redis://u:p@h:1/2",
      "--memory",
      "256M",
      "--cache-size",
      "10M",
      "--cache",
      "/c",
      "--max-connections",
      "100",
      "--drain",
      "2.5",
      "--no-warm-up",
      "--log",
      "json",
      "--log-level",
      "warn",
      "--log-client",
      "--client-address-header",
      "X-Real-IP",
      "--metrics",
      "9100",
      "--share",
      "5",
      "--robots",
      "/r",
    );
    assert.deepEqual(
      parseCommand([...args, "--trust-origin", "https://a.example", "--trust-origin=http://b:81/"]),
      {
        verb: "serve",
        listen: [{ transport: "tcp", hostname: "::1", port: 0 }, { transport: "unix", path: "/x" }],
        home: "/h",
        "behind-proxy": true,
        "trust-origin": ["https://a.example", "http://b:81"],
        "sign-in": "wallet",
        sessions: "redis://u:p@h:1/2",
        wallet: [wallet],
        chain: [5, 1],
        evaluation: "2024",
        answers: "objects",
        api: "today",
        "no-page": true,
        alias: [["heart", "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5"]],
        "object-time": 7,
        memory: 256 * 2 ** 20,
        "cache-size": 10 * 2 ** 20,
        cache: "/c",
        "max-connections": 100,
        drain: 2.5,
        "no-warm-up": true,
        log: "json",
        "log-level": "warn",
        "log-client": true,
        "client-address-header": "x-real-ip",
        share: 5,
        metrics: { transport: "tcp", hostname: "127.0.0.1", port: 9100 },
        robots: "/r",
      },
    );
    assert.deepEqual(parseCommand(["--demo"]), { ...DEFAULTS, demo: true });
    const replica = parseCommand(["--bucket", "/b", "--no-warm-up"]);
    assert.ok("no-warm-up" in replica && replica["no-warm-up"]);
  });

  for (
    const [text, bytes] of [
      ["0", 0],
      ["67108864", 2 ** 26],
      ["512k", 2 ** 19],
      ["64MiB", 2 ** 26],
      ["1GB", 2 ** 30],
      ["7b", 7],
    ] as const
  ) {
    it(`reads ${text} as ${bytes} bytes`, () => {
      assert.deepEqual(parseCommand(["--cache-size", text]), { ...DEFAULTS, "cache-size": bytes });
    });
  }

  it("refuses less memory than all caches need, and says how much that is", () => {
    const least = leastMemoryBytes();
    assert.deepEqual(parseCommand(["--memory", `${least}`]), { ...DEFAULTS, memory: least });
    assert.throws(() => parseCommand(["--memory", `${least - 1}`]), {
      message: `Cannot use --memory "${least - 1}": expected at least ${least} bytes`,
    });
  });

  const local = (port: number) => [{ transport: "tcp", hostname: "127.0.0.1", port }];
  for (
    const [args, variables, listen] of [
      [["--port", "9090"], {}, local(9090)],
      [["--port=0"], { PORT: "9090" }, local(0)],
      [[], { PORT: "9090" }, local(9090)],
      [[], { PORT: "" }, [DEFAULT_ADDRESS]],
      [["--listen", "9090"], {}, local(9090)],
      [["--listen", "unix:/x", "--listen", "0.0.0.0:80"], { PORT: "9090" }, [
        { transport: "unix", path: "/x" },
        { transport: "tcp", hostname: "0.0.0.0", port: 80 },
      ]],
    ] as const
  ) {
    it(`listens as ${JSON.stringify(args)} and ${JSON.stringify(variables)} say`, () => {
      assert.deepEqual(parseCommand(args, variables), { ...DEFAULTS, listen });
    });
  }

  it("refuses a variable PORT that is no port, unless an option replaces it", () => {
    assert.throws(() => parseCommand([], { PORT: "http" }), /Cannot use the variable PORT "http"/);
    assert.deepEqual(parseCommand(["--port", "1"], { PORT: "http" }).verb, "serve");
  });

  it("takes help and version as verbs, too", () => {
    assert.deepEqual(parseCommand(["help"]), { verb: "help", of: "serve" });
    assert.deepEqual(parseCommand(["help", "serve"]), { verb: "help", of: "serve" });
    for (const args of [["help", "session"], ["session", "--help"], ["session", "--base", "x", "-h"]]) {
      assert.deepEqual(parseCommand(args), { verb: "help", of: "session" });
    }
    assert.deepEqual([parseCommand(["version"]), parseCommand(["-v"])], [{ verb: "version" }, {
      verb: "version",
    }]);
  });

  it("prefers help, then version, over all else", () => {
    assert.deepEqual(parseCommand(["explode", "--version", "--help"]), { verb: "help", of: "serve" });
    assert.deepEqual(parseCommand(["--demo", "--version"]), { verb: "version" });
    assert.deepEqual(parseCommand(["--port", "none", "-h"]), { verb: "help", of: "serve" });
    assert.deepEqual(parseCommand(["-V"]), { verb: "version" });
  });

  it("names one unknown word, and the command that is meant", () => {
    const messageOf = (...args: string[]) => {
      try {
        return parseCommand(args);
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    assert.equal(messageOf("sesion", "--demo"), 'Unknown command "sesion": did you mean session?');
    assert.equal(messageOf("server"), 'Unknown command "server": did you mean serve?');
    assert.equal(
      messageOf("explode", "now"),
      'Unknown command "explode": expected serve, publish, session, help or version',
    );
    assert.equal(messageOf("serve", "twice"), 'Unknown argument "twice"');
    assert.equal(messageOf("version", "please"), 'Unknown argument "please"');
  });

  const refused = [
    ["--client-address-header", "X-Real-IP"],
    ["--behind-proxy", "--client-address-header", "a b"],
    ["--log", "xml"],
    ["--share", "-1"],
    ["--share", "many"],
    ["--metrics", "nowhere"],
    ["--log-level", "all"],
    ["--drain", "-1"],
    ["explode"],
    ["serve", "twice"],
    ["--unknown"],
    ["--demo=yes"],
    ["--home"],
    ["--home", ""],
    ["--home", "/h", "--demo"],
    ["--listen"],
    ["--listen", "65536"],
    ["--port", "65536"],
    ["--port", "http"],
    ["--port", "8080", "--listen", "127.0.0.1:8080"],
    ["help", "others"],
    ["version", "please"],
    ["--listen", ":8080"],
    ["--listen", "127.0.0.1:65536"],
    ["--listen", "::1:8080"],
    ["--listen", "http://127.0.0.1:8080"],
    ["--listen", "unix:"],
    ["--trust-origin", "a.example"],
    ["--trust-origin", "https://a.example/path"],
    ["--trust-origin", "https://user@a.example"],
    ["--trust-origin", "ftp://a.example"],
    ["--trust-origin", "null"],
    ["--trust-origin", "*"],
    ["--sign-in", "password"],
    ["--wallet", "0x12"],
    ["--wallet", "0x" + "ab".repeat(20)],
    ["--sign-in", "wallet"],
    ["--chain", "1"],
    ["--sign-in", "wallet", "--wallet", "0x" + "ab".repeat(20), "--chain", "0"],
    ["--sign-in", "wallet", "--wallet", "0x" + "ab".repeat(20), "--chain", "mainnet"],
    ["--evaluation", "2025"],
    ["--answers", ""],
    ["--object-time", "-1"],
    ["--object-time", "1.5"],
    ["--cache", ""],
    ["--cache", "100"],
    ["--cache-size", ""],
    ["--cache-size", "-1"],
    ["--cache-size", "1.5M"],
    ["--cache-size", "64 M"],
    ["--cache-size", "M"],
    ["--cache-size", "1T"],
    ["--memory", ""],
    ["--memory", "much"],
    ["--memory", "8M"],
    ["--memory", "64M", "--cache-size", "64M"],
    ["--sessions", ""],
    ["--sessions", "postgres://host"],
    ["--sessions", "redis://"],
    ["--sessions", "redis://host/name"],
    ["--sessions", "unix:relative"],
    ["--max-connections", "0"],
    ["--max-connections", "many"],
    ["--alias", "name"],
    ["--alias", "a/b", "z3gqcJUoA1n9HaHKufZs5FCSGazv5"],
    ["--alias", "--home", "/h"],
  ];
  for (const args of refused) {
    it(`refuses ${args.join(" ")}`, () => {
      assert.throws(
        () => parseCommand(args),
        (error) => error instanceof UsageError && !error.message.includes("\n"),
      );
    });
  }
});

describe("the place of sessions", () => {
  const placeOf = (args: readonly string[], variables = {}) => {
    const command = parseCommand(args, variables);
    return command.verb === "serve" ? command.sessions : undefined;
  };

  it("is a path, a store, or the variable XYLEM_SESSIONS without the option", () => {
    for (const place of ["memory", "/x/sessions", "sessions", "redis://h", "rediss://u:p@h:1/0", "unix:/x"]) {
      assert.equal(placeOf(["--sessions", place]), place);
      assert.equal(placeOf([], { XYLEM_SESSIONS: place }), place);
    }
    assert.equal(placeOf(["--sessions", "memory"], { XYLEM_SESSIONS: "/x" }), "memory");
    assert.equal(placeOf([], { XYLEM_SESSIONS: "" }), "memory");
  });

  it("is not quoted when it is refused: it may hold a password", () => {
    for (const place of ["http://u:secret@h", "redis://u:secret@h/name", "redis://u:secret@:x"]) {
      assert.throws(() => placeOf(["--sessions", place]), (error) => !String(error).includes("secret"));
    }
  });
});

describe("the help", () => {
  const tables = {
    serve: SERVE_OPTIONS,
    session: SESSION_OPTIONS,
    publish: PUBLISH_OPTIONS,
  };

  it("names every option and fits a terminal of 120 columns", () => {
    for (const verb of ["serve", "session", "publish"] as const) {
      const text = helpOf(verb);
      for (const option of Object.keys(tables[verb])) assert.ok(text.includes(`  --${option}`), option);
      assert.deepEqual(text.split("\n").filter((line) => line.length > 120 || /`/.test(line)), []);
    }
  });

  it("names the memory of all caches", () => {
    assert.match(helpOf("serve"), new RegExp(`Default: ${DEFAULT_MEMORY_BYTES / 2 ** 20}M\\n`));
  });
});
