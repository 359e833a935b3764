/** Sets up the database of a new deployment for `admin bootstrap`, or creates keys in place of lost ones. */
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createDatabase, type Handle } from '../db/postgres/connection.ts';
import { run } from '../db/postgres/statement.ts';
import { createEncryption, type Encryption } from '../platform/encryption.ts';
import type { EncryptionConfig } from '../platform/encryption-keys.ts';
import { requireNone, AdminUsageError, oneOf, parseEmail, required } from './arguments.ts';
import {
  createFirstKeys,
  createOrganization,
  type FirstKeys,
  type NewOrganization,
  presentFirstKeys,
} from './create-organization.ts';
import { takeOrganization } from './organization.ts';
import { parseArgs } from 'node:util';
import type { Config } from '../platform/config.ts';
import { parseEntitlements } from './entitlements.ts';

export interface BootstrapOptions extends NewOrganization {
  /** The identity of the first regular key, for features that need a personal identity. */
  identitySubject?: string;
  /** When true, an existing first organization gets two new keys. Otherwise it is an error. */
  newKeys?: boolean;
}

/** Creates the first organization with its keys. */
export async function bootstrap(
  databaseUrl: string,
  encryptionKeys: EncryptionConfig,
  options: BootstrapOptions,
): Promise<FirstKeys> {
  return withFirst(databaseUrl, encryptionKeys, async (transaction, encryption, existing) => {
    if (existing !== null && options.newKeys !== true) {
      throw new AdminUsageError(
        `There is an organization already: ${existing}. For new keys of it: npm run admin -- bootstrap --new-keys`,
      );
    }
    const organizationId = existing ?? (await createOrganization(transaction, options, 'bootstrap'));
    return createFirstKeys(transaction, encryption, organizationId, options.identitySubject);
  });
}

/** Creates two keys for an organization, in place of lost ones. Throws for arguments other than `--organization ID`. */
async function replaceFirstKeys(
  databaseUrl: string,
  encryptionKeys: EncryptionConfig,
  args: string[],
): Promise<FirstKeys> {
  return withFirst(databaseUrl, encryptionKeys, async (transaction, encryption) => {
    const { organizationId, rest } = await takeOrganization(transaction, args);
    requireNone(rest);
    return createFirstKeys(transaction, encryption, organizationId);
  });
}

/** Runs work in a transaction, with the id of the first organization or null. */
async function withFirst(
  databaseUrl: string,
  encryptionKeys: EncryptionConfig,
  work: (transaction: Handle, encryption: Encryption, existing: string | null) => Promise<FirstKeys>,
): Promise<FirstKeys> {
  const database = createDatabase({ url: databaseUrl, poolMax: 2, applicationName: 'sluice-admin' });
  const encryption = createEncryption(encryptionKeys);
  try {
    return await database.knex.transaction(async (transaction) => {
      // Two concurrent calls would create two first organizations.
      await run(transaction, `select pg_advisory_xact_lock(hashtext('sluice_bootstrap'))`);
      const existing = await createAccountStore(transaction).firstOrganization();
      return work(transaction, encryption, existing?.id ?? null);
    });
  } finally {
    await database.close();
  }
}

export const BOOTSTRAP_USAGE = `bootstrap --name NAME --email EMAIL [--credit-enforcement on|off] [--entitlement NAME]...
bootstrap --new-keys [--organization ID]    (two keys in place of lost ones)`;

/** Creates the first organization, or new keys for it. Returns the text to print. */
export async function runBootstrap(
  config: Pick<Config, 'database' | 'encryption'>,
  args: string[],
): Promise<string> {
  const { database, encryption } = config;
  if (args.includes('--new-keys')) {
    const others = args.filter((word) => word !== '--new-keys');
    const replaced = await replaceFirstKeys(database.url, encryption, others);
    return `New keys were created.\n${presentFirstKeys(replaced)}`;
  }
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      email: { type: 'string' },
      'credit-enforcement': { type: 'string', default: 'on' },
      entitlement: { type: 'string', multiple: true, default: [] },
    },
  });
  const made = await bootstrap(database.url, encryption, {
    organizationName: required('bootstrap', '--name', values.name),
    email: parseEmail(required('bootstrap', '--email', values.email)),
    creditEnforcement: oneOf('--credit-enforcement', values['credit-enforcement'], ['on', 'off']) === 'on',
    entitlements: parseEntitlements(values.entitlement),
  });
  return `Organization created.\n${presentFirstKeys(made)}`;
}
