/** Deno's permissions, queried and never requested: a prompt would stop the service. */

import type { Address } from "../server/address.ts";

/** Whether a permission has been granted. */
export function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

/** Whether a file, or the files below a folder, may be read. */
export function mayRead(path: string): boolean {
  return isGranted({ name: "read", path });
}

/** Whether a file, or the files below a folder, may be written. */
export function mayWrite(path: string): boolean {
  return isGranted({ name: "write", path });
}

/** Whether a file may be read and written. */
export function mayUse(path: string): boolean {
  return mayRead(path) && mayWrite(path);
}

/** Whether the Unix socket at a path may be connected to. */
export function mayConnect(path: string): boolean {
  return mayUse(path) && isGranted({ name: "net", host: `unix:${path}` });
}

/** Whether an address may be listened on and connected to. */
export function mayReach(address: Address): boolean {
  return address.transport === "unix"
    ? mayUse(address.path)
    : isGranted({ name: "net", host: hostOf(address.hostname, address.port) });
}

/** A host and a port, as permissions name them. */
export function hostOf(hostname: string, port: number): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
