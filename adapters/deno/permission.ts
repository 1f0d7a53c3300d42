/** Deno's permissions, without asking for any. */

/** Whether a permission has been granted. */
export function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}
