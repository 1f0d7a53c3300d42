/** The services that get hostile requests: one beside a home, a replica of it, and proxies before both. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createHomeApi, deflate, fileSystem } from "../../../adapters/node/mod.ts";
import { createFolderBucket } from "../../../extensions/replicas/bucket/folder.ts";
import { createTestPublisher } from "../../extensions/replicas/publisher/test_publisher.ts";
import { type Runtime, type Service, startBucketService, startWarmService } from "../../support/programs.ts";
import { startHaproxy, startNginxBefore } from "../../support/servers.ts";
import { TOKEN_KEY } from "./fields.ts";

/** A way to a service, over which requests go. */
export interface Way {
  readonly name: string;
  readonly port: number;
  readonly isProxied: boolean;
}

/** All services of one runtime. */
export interface Services {
  readonly home: string;
  /** Those under test: beside the home, and the replica. */
  readonly tested: { readonly service: Service; readonly replica: Service };
  readonly ways: readonly Way[];
  /** Ends all of them; the statuses of those under test by their names. */
  stop(): Promise<ReadonlyMap<string, number | null>>;
}

/** Publishes the public repositories of a home into a folder. */
export async function publishHome(home: string, bucket: string): Promise<void> {
  const made = await createHomeApi({ home });
  const publisher = createTestPublisher(made.storage, createFolderBucket(bucket, { fileSystem }), {
    deflate,
    node: made,
  });
  const { failed } = await publisher.publishAll();
  await made.close();
  if (failed > 0) throw new Error(`${failed} repositories could not be published`);
}

/**
 * Starts a service on a copy of a home, a replica whose origin it is, nginx before the service and haproxy
 * before the replica, as in `deploy/`.
 *
 * @param folder A new one.
 */
export async function startServices(
  runtime: Runtime,
  folder: string,
  { home, bucket }: { readonly home: string; readonly bucket: string },
  env: Readonly<Record<string, string>>,
): Promise<Services> {
  mkdirSync(folder);
  const copy = join(folder, "home");
  cpSync(home, copy, { recursive: true });
  const withKey = { ...env, XYLEM_TOKEN_KEY: TOKEN_KEY };
  // haproxy overwrites the replica's field; directly anybody sets it.
  const operated = ["--log", "json", "--log-client", "--metrics", "127.0.0.1:0", "--share", "999999"];
  const service = await startWarmService(runtime, copy, operated, withKey);
  const replica = await startBucketService(runtime, bucket, [
    ...["--origin", service.url, "--clones-from", "bucket"],
    "--behind-proxy",
    ...["--client-address-header", "X-Real-IP", ...operated],
  ], withKey);
  const nginx = await startNginxBefore(folder, [service.url]);
  const haproxy = await startHaproxy(folder, [replica.url]);
  const wayTo = (name: string, { url }: Service, isProxied: boolean): Way => ({
    name,
    port: Number(new URL(url).port),
    isProxied,
  });
  return {
    home: copy,
    tested: { service, replica },
    ways: [
      wayTo("service", service, false),
      wayTo("replica", replica, false),
      wayTo("nginx", nginx, true),
      wayTo("haproxy", haproxy, true),
    ],
    async stop() {
      await Promise.all([nginx.stop(), haproxy.stop()]);
      return new Map([["replica", await replica.stop()], ["service", await service.stop()]]);
    },
  };
}
