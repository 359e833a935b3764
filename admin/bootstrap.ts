/** Sets up the database of a new deployment for `admin bootstrap`, or creates keys in place of lost ones. */
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createDatabase, type Handle } from '../db/postgres/connection.ts';
import { run } from '../db/postgres/statement.ts';
import { createEncryption, type Encryption } from '../platform/encryption.ts';
import type { EncryptionConfig } from '../platform/encryption-keys.ts';
import { requireNone } from './arguments.ts';
import {
  createFirstKeys,
  createOrganization,
  type FirstKeys,
  type NewOrganization,
} from './create-organization.ts';
import { takeOrganization } from './organization.ts';
import { AdminUsageError } from './usage-error.ts';

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
export async function replaceFirstKeys(
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
