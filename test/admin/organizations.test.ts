import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runAdmin } from '../support/admin.ts';
import { auditRows } from '../support/audit.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
/** What `organizations create` printed. */
let created: string;
let globex: { id: string; apiKey: string; managementKey: string };

beforeAll(async () => {
  gateway = await startGateway();
  const options = ['--credit', '12.5', '--entitlement', 'private_endpoints'];
  const made = await admin(
    'organizations create --name Globex --email root@globex.example'.split(' '),
    options,
  );
  expect(made).toMatchObject({ code: 0, stderr: '' });
  created = made.stdout;
  globex = {
    id: valueOf('organization'),
    apiKey: valueOf('API key'),
    managementKey: valueOf('management key'),
  };
});

afterAll(() => gateway.close());

const admin = (args: string[], more: string[] = []) => runAdmin(gateway, [...args, ...more]);

function valueOf(label: string): string {
  return new RegExp(`^${label} +(\\S+)$`, 'm').exec(created)?.[1] ?? '';
}

/** Returns the status of each kind of request: with a regular key, a management key, and a new video job. */
async function statuses(): Promise<number[]> {
  const answers = [
    await createCaller(gateway.origin, globex.apiKey).call('GET', '/key'),
    await createCaller(gateway.origin, globex.managementKey).call('GET', '/keys'),
    await createCaller(gateway.origin, globex.apiKey).call('POST', '/videos', {
      body: { model: 'local/clip-1', prompt: 'A paper boat' },
    }),
  ];
  return answers.map(({ status }) => status);
}

async function keyHashes(managementKey: string): Promise<string[]> {
  const answer = await createCaller(gateway.origin, managementKey).call('GET', '/keys');
  return ((await answer.json()) as { data: { hash: string }[] }).data.map(({ hash }) => hash);
}

/** Waits until every process knows of the change, which takes a notice of Postgres. */
const untilStatuses = (wanted: number[]) =>
  eventually(`the statuses ${wanted.join(', ')}`, async () => {
    const seen = await statuses();
    return JSON.stringify(seen) === JSON.stringify(wanted) ? seen : undefined;
  });

async function jobsOfGlobex(): Promise<number> {
  const jobs = await gateway.database.query('select from video_jobs where organization_id = $1', [globex.id]);
  return jobs.rowCount ?? 0;
}

describe('organizations create', () => {
  test('makes an organization with its administrator, credit, entitlements and keys', async () => {
    expect(created).toMatch(/^Organization created\.\n[^]+webhook secret {2}whsec_\S+\n$/);
    const manager = createCaller(gateway.origin, globex.managementKey);
    expect(await (await manager.call('GET', '/credits')).json()).toMatchObject({
      data: { total_credits: 12.5 },
    });
    expect((await manager.call('GET', '/private-endpoints')).status).toBe(200);
    const members = await admin(['members', 'list', '--organization', globex.id]);
    expect(members.stdout).toMatch(/org:admin +root@globex\.example/);
    const rows = await auditRows(gateway, `organizations/${globex.id}`);
    expect(rows.map(({ action }) => action)).toEqual(['createOrganization']);
  });

  test('gives the new organization keys of its own', async () => {
    const [foreign, own] = await Promise.all([
      keyHashes(globex.managementKey),
      keyHashes(gateway.managementKey),
    ]);
    expect([foreign.length, own.length]).toEqual([1, 1]);
    expect(foreign).not.toEqual(own);
  });

  test.each([
    [['--email', 'a@example.com'], '--name is missing'],
    [['--name', 'Initech'], '--email is missing'],
    [['--name', 'Initech', '--email', 'a@example.com', '--credit=-1'], '--credit must not be negative'],
    [['--name', 'Globex', '--email', 'a@example.com'], 'There is an organization "Globex" already'],
  ])('refuses %j with status 2', async (options, problem) => {
    const { code, stderr } = await admin(['organizations', 'create'], options);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect((await admin(['organizations', 'list'])).stdout.trim().split('\n')).toHaveLength(3);
  });
});

describe('a command for one organization', () => {
  test.each([
    [['keys', 'create', '--name', 'Second']],
    [['members', 'list']],
    [['credits', 'add', '--usd', '1']],
    [['scim-token']],
    [['entitlements']],
    [['bootstrap', '--new-keys']],
  ])('%j requires --organization with an id when there are several organizations', async (args) => {
    const env = { PUBLIC_URL: 'https://gateway.example' };
    const unnamed = await runAdmin(gateway, args, env);
    expect([unnamed.code, unnamed.stderr]).toEqual([
      2,
      expect.stringMatching(/^There are several organizations\. Name one: --organization ID\. [^\n]+\n$/),
    ]);
    expect(await runAdmin(gateway, [...args, '--organization', globex.id], env)).toMatchObject({ code: 0 });
    expect(await runAdmin(gateway, [...args, '--organization=Globex'], env)).toMatchObject({
      code: 2,
      stderr: 'There is no organization "Globex". See: npm run admin -- organizations list\n',
    });
  });
});

describe('organizations disable', () => {
  test('refuses all keys and tokens with 401 until the organization is enabled', async () => {
    const listed = await runAdmin(gateway, ['scim-token', '--organization', globex.id], {
      PUBLIC_URL: 'https://gateway.example',
    });
    const [, token = ''] = /^token +(\S+)$/m.exec(listed.stdout) ?? [];
    const directory = createCaller(gateway.origin, token);
    expect((await directory.call('GET', '/scim/v2/Users')).status).toBe(200);
    expect(await statuses()).toEqual([200, 200, 202]);
    expect(await jobsOfGlobex()).toBe(1);

    expect((await admin(['organizations', 'disable', globex.id])).stdout).toBe(`${globex.id} is disabled\n`);
    await untilStatuses([401, 401, 401]);
    const before = await jobsOfGlobex();
    const refused = await createCaller(gateway.origin, globex.apiKey).call('POST', '/videos', {
      body: { model: 'local/clip-1', prompt: 'A paper boat' },
    });
    expect(await errorOf(refused)).toMatchObject({ code: 401, message: 'Missing Authentication header' });
    expect(await jobsOfGlobex()).toBe(before);
    expect((await directory.call('GET', '/scim/v2/Users')).status).toBe(401);
    expect((await createCaller(gateway.origin, gateway.apiKey).call('GET', '/key')).status).toBe(200);
    expect((await admin(['organizations', 'list'])).stdout).toMatch(/disabled since .+Globex/);

    expect((await admin(['organizations', 'enable', globex.id])).stdout).toBe(`${globex.id} is enabled\n`);
    await untilStatuses([200, 200, 202]);
    expect((await directory.call('GET', '/scim/v2/Users')).status).toBe(200);
    const again = await admin(['organizations', 'enable', globex.id]);
    expect(again.stdout).toBe(`${globex.id} was enabled already\n`);
    const rows = await auditRows(gateway, `organizations/${globex.id}`);
    expect(rows.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['disableOrganization', 'enableOrganization']),
    );
  });
});
