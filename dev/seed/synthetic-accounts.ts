/** Creates the users, workspaces and keys to which the seed command attributes its generations. */
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createApiKeyStore } from '../../db/accounts/api-key-store.ts';
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { int4, int8, text, uuid } from '../../db/postgres/shape.ts';
import { rowsOf } from '../../db/postgres/statement.ts';
import { newUserId, newUuid } from '../../domain/ids.ts';
import { newToken } from '../../services/accounts/identity/key-token.ts';

/** A key of synthetic generations. Nobody knows its token. */
export interface SyntheticKey {
  keyId: number;
  workspaceId: string;
  userId: string;
}

export interface SyntheticAccounts {
  organizationId: string;
  /** The keys by use, the busiest first. */
  keys: SyntheticKey[];
  /** The number of earlier seedings of this database. */
  runsBefore: number;
}

const WORKSPACES = ['Research', 'Support', 'Platform'];
const USERS = 5;
const KEYS_OF_WORKSPACE = 4;
const ACTION = 'seedGenerations';

/**
 * Returns the keys of the synthetic generations, with their users and workspaces. The workspaces are the default one
 * and separate ones. Keys, users and workspaces of an earlier run are reused. Writes an audit entry.
 */
export async function prepareAccounts(knex: Handle, organizationId: string): Promise<SyntheticAccounts> {
  return knex.transaction(async (transaction) => {
    await createAccountStore(transaction).lock(organizationId);
    const [earlier] = await rowsOf(
      transaction,
      { runs: int4 },
      `select count(*)::integer runs from audit_log where organization_id = :organizationId and action = :action`,
      { organizationId, action: ACTION },
    );
    await createAuditStore(transaction).insert(
      { organizationId },
      { action: ACTION, target: 'generations/synthetic' },
    );
    const users = await gatherUsers(transaction, organizationId);
    const keys: SyntheticKey[] = [];
    for (const workspaceId of await gatherWorkspaces(transaction, organizationId)) {
      keys.push(...(await gatherKeys(transaction, { organizationId, workspaceId, users })));
    }
    return { organizationId, keys, runsBefore: earlier?.runs ?? 0 };
  });
}

async function gatherUsers(handle: Handle, organizationId: string): Promise<string[]> {
  const accounts = createAccountStore(handle);
  const ids: string[] = [];
  for (let n = 1; n <= USERS; n += 1) {
    const email = `synthetic-${n}@example.invalid`;
    const [known] = await rowsOf(
      handle,
      { id: text },
      `select u.id from users u join organization_members m on m.user_id = u.id
       where m.organization_id = :organizationId and u.email = :email`,
      { organizationId, email },
    );
    const id = known?.id ?? newUserId();
    if (known === undefined) {
      await accounts.insertUser({ id, email });
      await accounts.insertOrganizationMember(organizationId, id, 'org:member');
    }
    ids.push(id);
  }
  return ids;
}

async function gatherWorkspaces(handle: Handle, organizationId: string): Promise<string[]> {
  const accounts = createAccountStore(handle);
  const defaultWorkspace = await accounts.defaultWorkspace(organizationId);
  const ids = defaultWorkspace === null ? [] : [defaultWorkspace.id];
  for (const name of WORKSPACES) {
    const slug = `synthetic-${name.toLowerCase()}`;
    const [known] = await rowsOf(
      handle,
      { id: uuid },
      'select id from workspaces where organization_id = :organizationId and slug = :slug and deleted_at is null',
      { organizationId, slug },
    );
    const id = known?.id ?? newUuid();
    if (known === undefined) {
      const made = { id, organizationId, name: `Synthetic: ${name}`, slug, isDefault: false };
      await accounts.insertWorkspace({ ...made, defaultCallbackUrl: null, createdBy: null });
    }
    ids.push(id);
  }
  return ids;
}

async function gatherKeys(
  handle: Handle,
  place: { organizationId: string; workspaceId: string; users: string[] },
): Promise<SyntheticKey[]> {
  const { organizationId, workspaceId, users } = place;
  const known = await rowsOf(
    handle,
    { id: int8, name: text, user: text.orNull },
    `select id, name, creator_user_id "user" from api_keys
     where workspace_id = :workspaceId and name like 'Synthetic key %'`,
    { workspaceId },
  );
  const keys: SyntheticKey[] = [];
  for (let n = 1; n <= KEYS_OF_WORKSPACE; n += 1) {
    const name = `Synthetic key ${n}`;
    const userId = users[(keys.length + n) % users.length]!;
    const found = known.find((key) => key.name === name);
    const { hash, label } = newToken();
    const key = { hash, label, name, kind: 'regular', organizationId, workspaceId } as const;
    const keyId =
      found === undefined
        ? (await createApiKeyStore(handle).insert({ ...key, creatorUserId: userId })).keyId
        : Number(found.id);
    keys.push({ keyId, workspaceId, userId: found?.user ?? userId });
  }
  return keys;
}
