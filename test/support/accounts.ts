import { randomBytes } from 'node:crypto';
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createApiKeyStore, type NewApiKey } from '../../db/accounts/api-key-store.ts';
import { createDatabase, type Handle } from './open-database.ts';
import { createOrganizationStore } from '../../db/accounts/organization-store.ts';
import { newUuid } from '../../domain/ids.ts';
import { parseUsd } from '../../domain/money.ts';
import { newToken } from '../../services/accounts/identity/key-token.ts';
import type { Gateway } from './gateway.ts';

/** The part of a gateway that is needed to add to its accounts. */
type AccountGateway = Pick<Gateway, 'config' | 'database' | 'organizationId' | 'workspaceId'>;

/** Where a key belongs. */
export interface Place {
  organizationId: string;
  workspaceId: string;
}

export interface IssuedKey {
  token: string;
  hash: string;
  keyId: number;
}

/** An organization with its default workspace. */
export function addOrganization(
  gateway: AccountGateway,
  facts: { creditEnforcement?: boolean } = {},
): Promise<Place> {
  return withHandle(gateway, (handle) => insertOrganization(handle, facts));
}

/** A further workspace of the gateway's own organization. */
export function addWorkspace(gateway: AccountGateway): Promise<Place> {
  return withHandle(gateway, (handle) => insertWorkspace(handle, gateway.organizationId, false));
}

/** A regular key of the gateway's own workspace, unless the facts say otherwise. */
export function addKey(gateway: AccountGateway, facts: Partial<NewApiKey> = {}): Promise<IssuedKey> {
  const { organizationId, workspaceId } = gateway;
  return withHandle(gateway, (handle) => insertKey(handle, { organizationId, workspaceId, ...facts }));
}

/** Somebody who belongs to the organization. */
export async function addUser(
  gateway: AccountGateway,
  organizationId: string,
  role: 'org:admin' | 'org:member' = 'org:member',
): Promise<string> {
  const member = { email: 'someone@example.com', firstName: 'Some', lastName: null, role };
  const { userId } = await withHandle(gateway, (handle) =>
    createOrganizationStore(handle).addMember(organizationId, member),
  );
  return userId;
}

/** What `admin keys disable` and `enable` do. */
export async function setKeyDisabled(
  gateway: AccountGateway,
  hash: string,
  disabled: boolean,
): Promise<void> {
  const found = await withHandle(gateway, (handle) =>
    createApiKeyStore(handle).setDisabled(gateway.organizationId, hash, disabled),
  );
  if (!found) throw new Error('no such key');
}

/** Dollars, as a decimal string. */
export async function addCredit(
  gateway: AccountGateway,
  usd: string,
  organizationId = gateway.organizationId,
): Promise<void> {
  await gateway.database.query(
    'insert into credit_entries (id, organization_id, amount_nanos) values ($1, $2, $3)',
    [newUuid(), organizationId, parseUsd(usd).toString()],
  );
}

/** Inserts an organization with its default workspace. */
export async function insertOrganization(
  handle: Handle,
  { creditEnforcement = false }: { creditEnforcement?: boolean } = {},
): Promise<Place> {
  const organizationId = newUuid();
  const organization = { id: organizationId, name: 'Another', creditEnforcement, entitlements: [] };
  await createAccountStore(handle).insertOrganization(organization);
  return insertWorkspace(handle, organizationId, true);
}

export async function insertWorkspace(
  handle: Handle,
  organizationId: string,
  isDefault: boolean,
): Promise<Place> {
  const workspaceId = newUuid();
  await createAccountStore(handle).insertWorkspace({
    id: workspaceId,
    organizationId,
    name: 'Another',
    slug: `w-${randomBytes(4).toString('hex')}`,
    isDefault,
    defaultCallbackUrl: null,
    createdBy: null,
  });
  return { organizationId, workspaceId };
}

/** Inserts a regular key, unless the facts say otherwise. */
export async function insertKey(
  handle: Handle,
  facts: Partial<NewApiKey> & Pick<NewApiKey, 'organizationId' | 'workspaceId'>,
): Promise<IssuedKey> {
  const { token, hash, label } = newToken();
  const key: NewApiKey = { hash, label, name: 'A key', kind: 'regular', ...facts };
  const { keyId } = await createApiKeyStore(handle).insert(key);
  return { token, hash, keyId };
}

async function withHandle<Result>(
  gateway: AccountGateway,
  work: (handle: Handle) => Promise<Result>,
): Promise<Result> {
  const database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  try {
    return await work(database.knex);
  } finally {
    await database.close();
  }
}
