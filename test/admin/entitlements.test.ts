import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runEntitlements } from '../../admin/entitlements.ts';
import { AdminUsageError } from '../../admin/arguments.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { runAdmin } from '../support/admin.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let database: Database;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  database = createDatabase({ url: gateway.config.database.url, poolMax: 2 });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await database.close();
  await gateway.close();
});

const entitlements = (...args: string[]): Promise<string> =>
  runEntitlements(database.knex, ['--organization', gateway.organizationId, ...args]);

/** What is printed when it cannot be done. */
async function refusal(work: Promise<string>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof AdminUsageError)) throw new Error('it was done', { cause: error });
  return error.message;
}

const listStatus = async (): Promise<number> => (await manager.call('GET', '/private-endpoints')).status;

describe('admin entitlements', () => {
  test('opens and closes the private endpoints of an organization, with audit rows', async () => {
    expect(await entitlements()).toBe('none');
    expect(await listStatus()).toBe(403);
    const command = ['entitlements', '--organization', gateway.organizationId, '--add', 'private_endpoints'];
    expect(await runAdmin(gateway, command)).toMatchObject({ code: 0, stdout: 'private_endpoints\n' });
    expect(await entitlements()).toBe('private_endpoints');
    expect(await listStatus()).toBe(200);
    expect(await entitlements('--add', 'private_endpoints')).toBe('private_endpoints');
    expect(await entitlements('--remove', 'private_endpoints')).toBe('none');
    expect(await listStatus()).toBe(403);
    const rows = await auditRows(gateway, `organizations/${gateway.organizationId}`);
    const changes = rows.filter(({ action }) => action === 'updateEntitlements');
    expect(changes.map((row) => row.key_hash)).toEqual([null, null]);
  });

  test('refuses unknown entitlements and organizations, and lists the entitlements', async () => {
    const both = ['--add', 'private_endpoints', '--remove', 'private_endpoints'];
    expect(await refusal(entitlements('--add', 'private_endpoint'))).toBe(
      'private_endpoint is no entitlement. There are: private_endpoints, interns',
    );
    expect(await refusal(entitlements(...both))).toContain('cannot be added and removed at once');
    expect(await refusal(runEntitlements(database.knex, ['--organization']))).toContain('needs an id');
    for (const id of ['first', '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21']) {
      expect(await refusal(runEntitlements(database.knex, ['--organization', id]))).toBe(
        `There is no organization "${id}". See: npm run admin -- organizations list`,
      );
    }
    const made = ['bootstrap', '--name', 'A', '--email', 'a@example.com', '--entitlement', 'all'];
    expect(await runAdmin(gateway, made)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('all is no entitlement'),
    });
  });
});
