import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { addKey, addOrganization, type Place } from './accounts.ts';
import { type Caller, createCaller } from './caller.ts';
import { type Gateway, startGateway } from './gateway.ts';

/** An organization of one test. */
export interface ManagedOrganization {
  place: Place;
  /** Calls with a management key of the organization. */
  manager: Caller;
}

export async function addManagedOrganization(gateway: Gateway): Promise<ManagedOrganization> {
  const place = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...place, kind: 'management' });
  return { place, manager: createCaller(gateway.origin, token) };
}

/** Opens and closes a gateway for the tests of a suite. Calls `begin` before each test, with a new organization. */
export function useOrganization(
  begin: (opened: ManagedOrganization & { gateway: Gateway }) => unknown,
): void {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    await begin({ gateway, ...(await addManagedOrganization(gateway)) });
  });
}
