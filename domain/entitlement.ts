/** Lets an organization add endpoints of its own. */
export const PRIVATE_ENDPOINTS_ENTITLEMENT = 'private_endpoints';

/** Lets an organization register interns. */
export const INTERNS_ENTITLEMENT = 'interns';

/** Every entitlement that an organization may have. */
export const ENTITLEMENTS = [PRIVATE_ENDPOINTS_ENTITLEMENT, INTERNS_ENTITLEMENT] as const;
export type Entitlement = (typeof ENTITLEMENTS)[number];

/** Returns whether the name is that of an entitlement. */
export function isEntitlement(name: string): name is Entitlement {
  return ENTITLEMENTS.some((known) => known === name);
}
