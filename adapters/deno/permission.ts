/**
 * Checks whether Deno has granted a permission. Never asks for a permission, because a prompt would stop the
 * service.
 */

import type { Address } from "../server/address.ts";

export function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

/** Checks whether a file, or the files below a folder, may be read. */
export function mayRead(path: string): boolean {
  return isGranted({ name: "read", path });
}

/** Checks whether a file, or the files below a folder, may be written. */
export function mayWrite(path: string): boolean {
  return isGranted({ name: "write", path });
}

export function mayUse(path: string): boolean {
  return mayRead(path) && mayWrite(path);
}

export function mayConnect(path: string): boolean {
  return mayUse(path) && isGranted({ name: "net", host: `unix:${path}` });
}

/** Checks whether the service may listen on an address and connect to it. */
export function mayReach(address: Address): boolean {
  return address.transport === "unix"
    ? mayUse(address.path)
    : isGranted({ name: "net", host: hostOf(address.hostname, address.port) });
}

/** Formats a host and a port in the syntax of Deno's network permissions. */
export function hostOf(hostname: string, port: number): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}
