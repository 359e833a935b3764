import { parseArgs } from 'node:util';
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createApiKeyStore, type ApiKeyRecord, type ApiKeyStore } from '../db/accounts/api-key-store.ts';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { lockDirectory } from '../db/accounts/lock-directory.ts';
import { isInvocationUser } from '../domain/interns/invocation.ts';
import { UUID_PATTERN } from '../domain/ids.ts';
import { type Nanos, nanosToUsd } from '../domain/money.ts';
import { LIMIT_RESETS } from '../domain/ceiling.ts';
import { newToken } from '../services/accounts/identity/key-token.ts';
import {
  oneOf,
  onlyPositional,
  parseAmount,
  parseCount,
  pickVerb,
  positionalsOf,
  required,
  requireNone,
  AdminUsageError,
} from './arguments.ts';
import { enableLeaverKeys } from './enable-leaver-keys.ts';
import { takeOrganization } from './organization.ts';

export const KEYS_USAGE = `keys list
keys create --name NAME [--kind regular|management] [--workspace ID] [--subject ID]
            [--limit USD] [--limit-reset daily|weekly|monthly] [--include-byok-in-limit]
            [--rate-limit REQUESTS] [--expires-at ISO]
keys rate-limit HASH REQUESTS|default
keys disable HASH
keys enable HASH
keys enable --left USER | --job JOB
keys delete HASH
                      (each with --organization ID where there are several)`;

const VERBS = ['list', 'create', 'rate-limit', 'disable', 'enable', 'delete'] as const;

const MAX_RATE_LIMIT_REQUESTS = 10_000;

/** Runs `admin keys …` on one organization. Each change writes an audit entry. Returns the text to print. */
export async function runKeys(knex: Handle, args: string[]): Promise<string> {
  const { organizationId, rest: words } = await takeOrganization(knex, args);
  const [verb, rest] = pickVerb('keys', VERBS, words);
  switch (verb) {
    case 'list':
      requireNone(rest);
      return (await createApiKeyStore(knex).listOfOrganization(organizationId)).map(keyLine).join('\n');
    case 'create':
      return createKey(knex, organizationId, rest);
    case 'disable':
    case 'enable':
      if (verb === 'enable' && rest[0]?.startsWith('--')) return enableLeaverKeys(knex, organizationId, rest);
      return setDisabled(knex, organizationId, onlyPositional('keys', 'HASH', rest), verb === 'disable');
    case 'delete':
      return removeKey(knex, organizationId, onlyPositional('keys', 'HASH', rest));
    case 'rate-limit':
      return setRateLimit(knex, organizationId, rest);
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
  const name = required('keys', '--name', values.name);
  if (values.subject !== undefined && !isInvocationUser(values.subject)) {
    throw new AdminUsageError('--subject must be 1 to 255 visible ASCII characters, without spaces');
  }
  const { token, hash, label } = newToken();
  const reset = values['limit-reset'];
  const draft = {
    hash,
    label,
    name,
    kind: oneOf('--kind', values.kind, ['regular', 'management']),
    organizationId,
    workspaceId: await workspaceId(knex, organizationId, values.workspace),
    identitySubject: values.subject,
    limitNanos: values.limit === undefined ? undefined : parseLimit(values.limit),
    limitReset: reset === undefined ? undefined : oneOf('--limit-reset', reset, LIMIT_RESETS),
    includeByokInLimit: values['include-byok-in-limit'],
    rateLimitRequests: values['rate-limit'] === undefined ? undefined : parseRequests(values['rate-limit']),
    expiresAt: values['expires-at'] === undefined ? undefined : parseDate(values['expires-at']),
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
  if (id !== undefined && !UUID_PATTERN.test(id)) {
    throw new AdminUsageError(`--workspace must be the id of a workspace, not "${id}"`);
  }
  const workspace =
    id === undefined ? await accounts.defaultWorkspace(organizationId) : await accounts.findWorkspace(id);
  if (workspace?.organizationId !== organizationId) throw new AdminUsageError('There is no such workspace.');
  return workspace.id;
}

const NO_SUCH_KEY = 'There is no key with this hash. See: npm run admin -- keys list';

async function setRateLimit(knex: Handle, organizationId: string, args: string[]): Promise<string> {
  const [hash = '', requests = ''] = positionalsOf('keys', ['HASH', 'REQUESTS'], args);
  const limit = requests === 'default' ? null : parseRequests(requests);
  await change(knex, organizationId, hash, 'updateKey', (keys) =>
    keys.setRateLimit(organizationId, hash, limit),
  );
  return `${hash} may make ${limit === null ? 'as many requests as RATE_LIMIT_REQUESTS says' : `${limit} requests per RATE_LIMIT_INTERVAL`}`;
}

function parseRequests(text: string): number {
  return parseCount('A rate limit', text, MAX_RATE_LIMIT_REQUESTS);
}

async function setDisabled(
  knex: Handle,
  organizationId: string,
  hash: string,
  disabled: boolean,
): Promise<string> {
  await change(knex, organizationId, hash, 'updateKey', async (keys, transaction) => {
    // Blocks changes of the directory until the commit: if the owner is being removed, the directory must see the
    // enabled key.
    if (!disabled) await lockDirectory(transaction, organizationId);
    return keys.setDisabled(organizationId, hash, disabled);
  });
  return `${hash} is ${disabled ? 'disabled' : 'enabled'}`;
}

/** Deletes a key of any kind. Management keys can only be deleted here. */
async function removeKey(knex: Handle, organizationId: string, hash: string): Promise<string> {
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

function parseLimit(text: string): Nanos {
  const limit = parseAmount('--limit', text);
  if (limit < 0n) throw new AdminUsageError('--limit must not be negative');
  return limit;
}

function parseDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw new AdminUsageError(`--expires-at must be an ISO 8601 time, not "${text}"`);
  return date;
}
