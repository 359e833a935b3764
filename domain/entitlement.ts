import { PRIVATE_ENDPOINTS_ENTITLEMENT } from './endpoints/private-endpoint.ts';
import { INTERNS_ENTITLEMENT } from './interns/intern.ts';

/** Every entitlement that an organization may have. */
export const ENTITLEMENTS = [PRIVATE_ENDPOINTS_ENTITLEMENT, INTERNS_ENTITLEMENT] as const;
export type Entitlement = (typeof ENTITLEMENTS)[number];

/** Returns whether the name is that of an entitlement. */
export function isEntitlement(name: string): name is Entitlement {
  return ENTITLEMENTS.some((known) => known === name);
}
