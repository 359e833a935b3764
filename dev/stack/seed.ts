import pg from 'pg';
import { bootstrap } from '../../admin/bootstrap.ts';
import { changeEntitlements } from '../../admin/entitlements.ts';
import { createDatabase } from '../../db/postgres/connection.ts';
import { ENTITLEMENTS } from '../../domain/entitlement.ts';
import type { Config } from '../../platform/config.ts';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import type { DevFile } from './dev-file.ts';

export type Seed = Pick<
  DevFile,
  'organization_id' | 'workspace_id' | 'api_key' | 'management_key' | 'webhook_secret'
>;

/**
 * Creates the first organization with its keys and all entitlements. Only `dev.json` keeps the tokens, so a later start
 * uses them as long as the database has their keys, and creates new ones otherwise. An organization of an earlier
 * version gets missing entitlements.
 */
export async function seed(config: Config, earlier: DevFile | undefined): Promise<Seed> {
  const seeded = await findOrMakeKeys(config, earlier);
  const database = createDatabase({ url: config.database.url, poolMax: 1, applicationName: 'sluice-dev' });
  try {
    await changeEntitlements(database.knex, seeded.organization_id, { add: ENTITLEMENTS });
  } finally {
    await database.close();
  }
  return seeded;
}

async function findOrMakeKeys(config: Config, earlier: DevFile | undefined): Promise<Seed> {
  const databaseUrl = config.database.url;
  if (earlier !== undefined && (await areKeysKnown(databaseUrl, earlier))) return earlier;
  const made = await bootstrap(databaseUrl, config.encryption, {
    organizationName: 'Laptop',
    email: 'developer@localhost',
    creditEnforcement: false,
    entitlements: [...ENTITLEMENTS],
    identitySubject: 'developer',
    newKeys: true,
  });
  return {
    organization_id: made.organizationId,
    workspace_id: made.workspaceId,
    api_key: made.apiKey,
    management_key: made.managementKey,
    webhook_secret: made.webhookSecret,
  };
}

async function areKeysKnown(databaseUrl: string, { api_key, management_key }: DevFile): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const hashes = [api_key, management_key].map(hashToken);
    const found = await client.query('select from api_keys where hash = any($1) and not disabled', [hashes]);
    return found.rowCount === 2;
  } finally {
    await client.end();
  }
}
