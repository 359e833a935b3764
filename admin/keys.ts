import { parseArgs } from 'node:util';
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createApiKeyStore, type ApiKeyRecord, type ApiKeyStore } from '../db/accounts/api-key-store.ts';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/connection.ts';
import { lockDirectory } from '../db/accounts/lock-directory.ts';
import { isInvocationUser } from '../domain/interns/invocation.ts';
import { nanosToUsd, parseUsd } from '../domain/money.ts';
import { LIMIT_RESETS } from '../domain/ceiling.ts';
import { newToken } from '../services/accounts/identity/key-token.ts';
import { enableLeaverKeys } from './enable-leaver-keys.ts';
import { AdminUsageError } from './usage-error.ts';

export const KEYS_USAGE = `keys list
keys create --name NAME [--kind regular|management] [--workspace ID] [--subject ID]
            [--limit USD] [--limit-reset daily|weekly|monthly] [--include-byok-in-limit]
            [--rate-limit REQUESTS] [--expires-at ISO]
keys rate-limit HASH REQUESTS|default
keys disable HASH
keys enable HASH
keys enable --left USER | --job JOB
keys delete HASH`;

const MAX_RATE_LIMIT_REQUESTS = 10_000;

/** Runs `admin keys …` on the first organization. Each change writes an audit entry. Returns the text to print. */
export async function runKeys(knex: Handle, args: string[]): Promise<string> {
  const organization = await createAccountStore(knex).firstOrganization();
  if (organization === null) {
    throw new AdminUsageError('There is no organization yet. First: npm run admin -- bootstrap');
  }
  const [verb, ...rest] = args;
  switch (verb) {
    case 'list':
      return (await createApiKeyStore(knex).listOfOrganization(organization.id)).map(keyLine).join('\n');
    case 'create':
      return createKey(knex, organization.id, rest);
    case 'disable':
    case 'enable':
      if (verb === 'enable' && rest[0]?.startsWith('--'))
        return enableLeaverKeys(knex, organization.id, rest);
      return setDisabled(knex, organization.id, rest[0], verb === 'disable');
    case 'delete':
      return removeKey(knex, organization.id, rest[0]);
    case 'rate-limit':
      return setRateLimit(knex, organization.id, rest);
    default:
      throw new AdminUsageError(KEYS_USAGE);
  }
}

async function createKey(knex: Handle, organizationId: string, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      kind: { type: 'string', default: 'regular' },
      workspace: { type: 'string' },
      subject: { type: 'string' },
      limit: { type: 'string' },
      'limit-reset': { type: 'string' },
      'include-byok-in-limit': { type: 'boolean', default: false },
      'rate-limit': { type: 'string' },
      'expires-at': { type: 'string' },
    },
  });
  if (values.name === undefined) throw new AdminUsageError(`--name is missing\n${KEYS_USAGE}`);
  if (values.subject !== undefined && !isInvocationUser(values.subject)) {
    throw new AdminUsageError('--subject must be 1 to 255 visible ASCII characters, without spaces');
  }
  const { token, hash, label } = newToken();
  const limitReset = oneOf('limit-reset', values['limit-reset'], LIMIT_RESETS);
  const draft = {
    hash,
    label,
    name: values.name,
    kind: oneOf('kind', values.kind, ['regular', 'management'] as const) ?? 'regular',
    organizationId,
    workspaceId: await workspaceId(knex, organizationId, values.workspace),
    ...(values.subject === undefined ? {} : { identitySubject: values.subject }),
    ...(values.limit === undefined ? {} : { limitNanos: parseUsd(values.limit) }),
    ...(limitReset === undefined ? {} : { limitReset }),
    includeByokInLimit: values['include-byok-in-limit'],
    ...(values['rate-limit'] === undefined ? {} : { rateLimitRequests: parseRequests(values['rate-limit']) }),
    ...(values['expires-at'] === undefined ? {} : { expiresAt: parseDate(values['expires-at']) }),
  };
  const key = await knex.transaction(async (transaction) => {
    // Blocks changes of the directory until the commit: if the person is removed, this key must be disabled as well.
    if (values.subject !== undefined) await lockDirectory(transaction, organizationId);
    await audit(transaction, organizationId, 'createKey', hash);
    return createApiKeyStore(transaction).insert(draft);
  });
  return `${keyLine(key)}\n\nThe key, shown only now:\n${token}`;
}

async function workspaceId(knex: Handle, organizationId: string, id: string | undefined): Promise<string> {
  const accounts = createAccountStore(knex);
  const workspace =
    id === undefined ? await accounts.defaultWorkspace(organizationId) : await accounts.findWorkspace(id);
  if (workspace?.organizationId !== organizationId) throw new AdminUsageError('There is no such workspace.');
  return workspace.id;
}

const NO_SUCH_KEY = 'There is no key with this hash. See: npm run admin -- keys list';

async function setRateLimit(
  knex: Handle,
  organizationId: string,
  [hash, requests]: string[],
): Promise<string> {
  if (hash === undefined || requests === undefined) throw new AdminUsageError(KEYS_USAGE);
  const limit = requests === 'default' ? null : parseRequests(requests);
  await change(knex, organizationId, hash, 'updateKey', (keys) =>
    keys.setRateLimit(organizationId, hash, limit),
  );
  return `${hash} may make ${limit === null ? 'as many requests as RATE_LIMIT_REQUESTS says' : `${limit} requests per RATE_LIMIT_INTERVAL`}`;
}

function parseRequests(text: string): number {
  const requests = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (requests < 1 || requests > MAX_RATE_LIMIT_REQUESTS) {
    throw new AdminUsageError(`A rate limit must be a whole number from 1 to ${MAX_RATE_LIMIT_REQUESTS}`);
  }
  return requests;
}

async function setDisabled(
  knex: Handle,
  organizationId: string,
  hash: string | undefined,
  disabled: boolean,
): Promise<string> {
  if (hash === undefined) throw new AdminUsageError(KEYS_USAGE);
  await change(knex, organizationId, hash, 'updateKey', async (keys, transaction) => {
    // Blocks changes of the directory until the commit: if the owner is being removed, the directory must see the
    // enabled key.
    if (!disabled) await lockDirectory(transaction, organizationId);
    return keys.setDisabled(organizationId, hash, disabled);
  });
  return `${hash} is ${disabled ? 'disabled' : 'enabled'}`;
}

/** Deletes a key of any kind. Management keys can only be deleted here. */
async function removeKey(knex: Handle, organizationId: string, hash: string | undefined): Promise<string> {
  if (hash === undefined) throw new AdminUsageError(KEYS_USAGE);
  await change(knex, organizationId, hash, 'deleteKey', (keys) => keys.remove(organizationId, hash));
  return `${hash} is deleted`;
}

async function change(
  knex: Handle,
  organizationId: string,
  hash: string,
  action: string,
  work: (keys: ApiKeyStore, transaction: Handle) => Promise<boolean>,
): Promise<void> {
  await knex.transaction(async (transaction) => {
    if (!(await work(createApiKeyStore(transaction), transaction))) throw new AdminUsageError(NO_SUCH_KEY);
    await audit(transaction, organizationId, action, hash);
  });
}

async function audit(
  transaction: Handle,
  organizationId: string,
  action: string,
  hash: string,
): Promise<void> {
  await createAuditStore(transaction).insert({ organizationId }, { action, target: `keys/${hash}` });
}

function keyLine(key: ApiKeyRecord): string {
  const limit =
    key.limitNanos === null ? 'no limit' : `$${nanosToUsd(key.limitNanos)} ${key.limitReset ?? 'in all'}`;
  const state = key.disabled ? 'disabled' : 'enabled';
  return [key.keyHash, key.label, key.kind, state, limit, key.name].join('  ');
}

function oneOf<const T extends string>(
  name: string,
  value: string | undefined,
  allowed: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new AdminUsageError(`--${name} must be one of ${allowed.join(', ')}`);
  return found;
}

function parseDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new AdminUsageError('--expires-at must be an ISO 8601 time');
  return date;
}
