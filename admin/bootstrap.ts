/** Sets up the database of a new deployment for `admin bootstrap`, or creates keys in place of lost ones. */
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createApiKeyStore } from '../db/accounts/api-key-store.ts';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import { createDatabase, type Handle } from '../db/connection.ts';
import { createWebhookSecretStore } from '../db/webhooks/webhook-secret-store.ts';
import { newUserId, newUuid } from '../domain/ids.ts';
import { createEncryption, type Encryption } from '../platform/encryption.ts';
import type { EncryptionConfig } from '../platform/encryption-keys.ts';
import { newToken } from '../services/accounts/identity/key-token.ts';
import { newSealedSecret, openSecret } from '../services/webhooks/sealed-secret.ts';

export interface BootstrapOptions {
  organizationName: string;
  email: string;
  /** When true, requests get a 402 when credits are used up. */
  creditEnforcement: boolean;
  entitlements: string[];
  /** The identity of the first regular key, for features that need a personal identity. */
  identitySubject?: string;
}

export interface Bootstrapped {
  /** False if an organization existed already; only the keys are new then. */
  created: boolean;
  organizationId: string;
  workspaceId: string;
  apiKey: string;
  managementKey: string;
  webhookSecret: string;
}

/**
 * Creates the first organization with its default workspace, a user, a webhook secret, a regular and a management key,
 * and audit entries. If an organization exists, it creates two new keys for the default workspace, in place of lost
 * ones. Tokens and secret are returned here and never shown again.
 */
export async function bootstrap(
  databaseUrl: string,
  encryptionKeys: EncryptionConfig,
  options: BootstrapOptions,
): Promise<Bootstrapped> {
  const database = createDatabase({ url: databaseUrl, poolMax: 2, applicationName: 'sluice-admin' });
  const encryption = createEncryption(encryptionKeys);
  try {
    return await database.knex.transaction((transaction) => bootstrapIn(transaction, encryption, options));
  } finally {
    await database.close();
  }
}

async function bootstrapIn(
  transaction: Handle,
  encryption: Encryption,
  options: BootstrapOptions,
): Promise<Bootstrapped> {
  // Two concurrent calls would create two first organizations.
  await transaction.raw(`select pg_advisory_xact_lock(hashtext('sluice_bootstrap'))`);
  const accounts = createAccountStore(transaction);
  const existing = await accounts.firstOrganization();
  const organizationId = existing?.id ?? (await createOrganization(transaction, options));
  const workspace = await accounts.defaultWorkspace(organizationId);
  if (workspace === null) throw new Error('the organization has no default workspace');
  const webhookSecret = await ensureWebhookSecret(transaction, encryption, workspace.id);
  const scope = { organizationId, workspaceId: workspace.id };
  const keys = createApiKeyStore(transaction);
  const [regular, management] = [newToken(), newToken()];
  await keys.insert({
    ...scope,
    kind: 'regular',
    name: 'First key',
    hash: regular.hash,
    label: regular.label,
    ...(options.identitySubject === undefined ? {} : { identitySubject: options.identitySubject }),
  });
  await keys.insert({
    ...scope,
    kind: 'management',
    name: 'First management key',
    hash: management.hash,
    label: management.label,
  });
  await audit(transaction, organizationId, existing === null, [regular.hash, management.hash]);
  return {
    ...scope,
    created: existing === null,
    apiKey: regular.token,
    managementKey: management.token,
    webhookSecret,
  };
}

async function audit(
  transaction: Handle,
  organizationId: string,
  created: boolean,
  hashes: string[],
): Promise<void> {
  const log = createAuditStore(transaction);
  const actor = { organizationId };
  if (created) await log.insert(actor, { action: 'bootstrap', target: `organizations/${organizationId}` });
  for (const hash of hashes) await log.insert(actor, { action: 'createKey', target: `keys/${hash}` });
}

async function createOrganization(transaction: Handle, options: BootstrapOptions): Promise<string> {
  const accounts = createAccountStore(transaction);
  const organizationId = newUuid();
  const userId = newUserId();
  await accounts.insertOrganization({
    id: organizationId,
    name: options.organizationName,
    creditEnforcement: options.creditEnforcement,
    entitlements: options.entitlements,
  });
  await accounts.insertUser({ id: userId, email: options.email });
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
  return organizationId;
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
