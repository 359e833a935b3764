/** Creates an organization with all that it needs to begin: a workspace, its first administrator, keys and a secret. */
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createApiKeyStore } from '../db/accounts/api-key-store.ts';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createWebhookSecretStore } from '../db/webhooks/webhook-secret-store.ts';
import { newUserId, newUuid } from '../domain/ids.ts';
import type { Encryption } from '../platform/encryption.ts';
import { newToken } from '../services/accounts/identity/key-token.ts';
import { newSealedSecret, openSecret } from '../services/webhooks/sealed-secret.ts';

export interface NewOrganization {
  organizationName: string;
  /** The address of the first administrator. */
  email: string;
  /** When true, requests get a 402 when credits are used up. */
  creditEnforcement: boolean;
  entitlements: string[];
}

export interface FirstKeys {
  organizationId: string;
  workspaceId: string;
  apiKey: string;
  managementKey: string;
  webhookSecret: string;
}

/** Creates the organization, its default workspace and its administrator, with an audit entry. Returns its id. */
export async function createOrganization(
  transaction: Handle,
  { organizationName, email, creditEnforcement, entitlements }: NewOrganization,
  action: 'bootstrap' | 'createOrganization',
): Promise<string> {
  const accounts = createAccountStore(transaction);
  const organizationId = newUuid();
  const userId = newUserId();
  await accounts.insertOrganization({
    id: organizationId,
    name: organizationName,
    creditEnforcement,
    entitlements,
  });
  await accounts.insertUser({ id: userId, email });
  await accounts.insertOrganizationMember(organizationId, userId, 'org:admin');
  await accounts.insertWorkspace({
    id: newUuid(),
    organizationId,
    name: 'Default',
    slug: 'default',
    isDefault: true,
    defaultCallbackUrl: null,
    createdBy: userId,
  });
  const entry = { action, target: `organizations/${organizationId}` };
  await createAuditStore(transaction).insert({ organizationId }, entry);
  return organizationId;
}

/**
 * Creates a regular and a management key of the default workspace, with audit entries, and a webhook secret if it has
 * none. Tokens and secret are returned here and never shown again.
 */
export async function createFirstKeys(
  transaction: Handle,
  encryption: Encryption,
  organizationId: string,
  identitySubject?: string,
): Promise<FirstKeys> {
  const workspace = await createAccountStore(transaction).defaultWorkspace(organizationId);
  if (workspace === null) throw new Error('the organization has no default workspace');
  const scope = { organizationId, workspaceId: workspace.id };
  const add = async (kind: 'regular' | 'management', name: string): Promise<string> => {
    const { token, hash, label } = newToken();
    const subject = kind === 'regular' && identitySubject !== undefined ? { identitySubject } : {};
    await createApiKeyStore(transaction).insert({ ...scope, kind, name, hash, label, ...subject });
    const entry = { action: 'createKey', target: `keys/${hash}` };
    await createAuditStore(transaction).insert({ organizationId }, entry);
    return token;
  };
  return {
    ...scope,
    apiKey: await add('regular', 'First key'),
    managementKey: await add('management', 'First management key'),
    webhookSecret: await ensureWebhookSecret(transaction, encryption, workspace.id),
  };
}

/** Formats the first keys of an organization, which are shown once. */
export function presentFirstKeys(made: FirstKeys): string {
  return [
    `organization    ${made.organizationId}`,
    `workspace       ${made.workspaceId}`,
    '',
    'Shown only now:',
    `API key         ${made.apiKey}`,
    `management key  ${made.managementKey}`,
    `webhook secret  ${made.webhookSecret}`,
  ].join('\n');
}

async function ensureWebhookSecret(
  transaction: Handle,
  encryption: Encryption,
  workspaceId: string,
): Promise<string> {
  const secrets = createWebhookSecretStore(transaction);
  const [current] = await secrets.signing(workspaceId);
  if (current !== undefined) return openSecret(encryption, current);
  const { id, secret, sealedSecret } = newSealedSecret(encryption);
  await secrets.insert({ id, workspaceId, sealedSecret });
  return secret;
}
