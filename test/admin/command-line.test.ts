import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runAdminHere, runAdminProcess } from '../support/admin.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const KEYS = `a:${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const UNKNOWN_WORKSPACE = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';

let database: TestDatabase;
const admin = (args: string[], env: Record<string, string> = { DATABASE_URL: database.url }) =>
  runAdminHere(args, env);

const bootstrap = (...options: string[]) =>
  admin(['bootstrap', ...options], { DATABASE_URL: database.url, ENCRYPTION_KEYS: KEYS });

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

test('bootstrap makes one organization, and more keys only with --new-keys', async () => {
  const early = await bootstrap('--new-keys');
  expect([early.code, early.stderr]).toEqual([
    2,
    'There is no organization yet. First: npm run admin -- bootstrap\n',
  ]);
  const first = await bootstrap('--name', 'Acme', '--email', 'ops@acme.example');
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/^Organization created[^]+sk-slc-/)]);
  const second = await bootstrap('--name', 'Acme', '--email', 'ops@acme.example');
  expect([second.code, second.stdout]).toEqual([2, '']);
  expect(second.stderr).toMatch(/^There is an organization already: \S+\. For .+ bootstrap --new-keys\n$/);
  const listed = await admin(['keys', 'list']);
  expect(listed.stdout.trim().split('\n')).toHaveLength(2);
  const renewed = await bootstrap('--new-keys');
  expect([renewed.code, renewed.stdout]).toEqual([0, expect.stringMatching(/^New keys[^]+sk-slc-/)]);
  expect((await admin(['keys', 'list'])).stdout.trim().split('\n')).toHaveLength(4);
});

describe('admin --help', () => {
  test.each([['--help'], ['-h']])('%s lists every command with one line', async (help) => {
    const { code, stdout } = await admin([help], {});
    expect(code).toBe(0);
    const words = ['bootstrap', 'keys', 'members', 'scim-token', 'entitlements', 'credits', 'catalog'];
    const others = [
      'jobs',
      'webhooks',
      'verify-ledger',
      'ledger',
      'rankings',
      'rejects',
      'spool',
      'daemon-keys',
    ];
    for (const word of [...words, ...others, 'rotate-encryption', 'migrate']) {
      expect(stdout).toMatch(new RegExp(`^${word} +\\S.+$`, 'm'));
    }
  });

  test('shows the arguments of a command without any setting', async () => {
    const { code, stdout } = await admin(['keys', 'create', '--help'], {});
    expect([code, stdout]).toEqual([0, expect.stringContaining('keys create --name NAME')]);
  });
});

describe('a wrong admin argument', () => {
  test.each<[args: string[], problem: string]>([
    [[], 'The command is missing'],
    [['kyes'], 'There is no command "kyes"'],
    [['keys'], 'nothing was given where one of list, create,'],
    [['keys', 'lits'], '"lits" was given where one of list,'],
    [['keys', 'list', 'all'], "Unexpected argument 'all'"],
    [['keys', 'create'], '--name is missing'],
    [['keys', 'create', '--name', ''], '--name must not be empty'],
    [['keys', 'create', '--name', 'a', '--limit', 'abc'], '--limit must be a decimal amount'],
    [['keys', 'create', '--name', 'a', '--limit=-1'], '--limit must not be negative'],
    [['keys', 'create', '--name', 'a', '--limit-reset', 'yearly'], '--limit-reset must be one of daily'],
    [['keys', 'create', '--name', 'a', '--kind', 'root'], '--kind must be one of regular, management'],
    [['keys', 'create', '--name', 'a', '--expires-at', 'soon'], '--expires-at must be an ISO 8601 time'],
    [['keys', 'create', '--name', 'a', '--workspace', 'main'], '--workspace must be the id of a workspace'],
    [['keys', 'create', '--name', 'a', '--workspace', UNKNOWN_WORKSPACE], 'There is no such workspace'],
    [['keys', 'create', '--nmae', 'a'], "Unknown option '--nmae'"],
    [['keys', 'disable'], 'HASH is missing'],
    [['keys', 'rate-limit', 'a'], 'REQUESTS is missing'],
    [['keys', 'rate-limit', 'a', '0'], 'A rate limit must be a whole number'],
    [['members', 'role', 'user_1'], 'admin|member is missing'],
    [['members', 'add', '--email', 'nobody'], '--email must be an email address'],
    [['credits', 'add', '--usd', '1,5'], '--usd must be a decimal amount'],
    [['catalog', 'import'], 'FILE is missing'],
    [['jobs'], 'either --unconfirmed, --flagged or --acknowledge JOB must be given'],
    [['rankings', 'rebuild', '--from', 'monday'], '--from must be a day, such as'],
    [['rejects', 'replay'], 'replay needs either GENERATION or --all'],
    [['spool', 'replay'], 'neither DIRECTORY nor SPOOL_DIR is given'],
    [['spool', 'replay', '/nope'], 'There is no folder /nope'],
    [['verify-ledger', '--fast'], "Unknown option '--fast'"],
    [['migrate', 'down'], "Unexpected argument 'down'"],
  ])('ends %j with status 2 and one line that names the problem', async (args, problem) => {
    const { code, stdout, stderr } = await admin(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('ends bootstrap with status 2 when --email is no address', async () => {
    const { code, stderr } = await bootstrap('--name', 'Acme', '--email', 'acme');
    expect([code, stderr]).toEqual([2, '--email must be an email address, not "acme"\n']);
  });
});

describe('an admin command in production', () => {
  test.each<[args: string[], wanted: string[]]>([
    [['keys', 'list'], ['DATABASE_URL']],
    [['bootstrap'], ['DATABASE_URL', 'ENCRYPTION_KEYS']],
    [['scim-token'], ['DATABASE_URL', 'PUBLIC_URL']],
    [['webhooks', 'list', '--job', 'gen-vid-1'], ['DATABASE_URL']],
    [
      ['daemon-keys', 'list'],
      ['DATABASE_URL', 'ENCRYPTION_KEYS'],
    ],
    [['rotate-encryption'], ['DATABASE_URL', 'ENCRYPTION_KEYS', 'OBJECT_STORE']],
  ])('%j requires only the settings %j', async (args, wanted) => {
    const { code, stderr } = await admin(args, {});
    expect(code).toBe(2);
    const named = stderr.split('\n').flatMap((line) => /^ {2}(\w+) is not set/.exec(line)?.[1] ?? []);
    expect(named.toSorted()).toEqual(wanted);
  });
});

test('an admin command prints one line when Postgres refuses connections', async () => {
  const url = 'postgres://sluice@127.0.0.1:1/sluice';
  const { code, stderr } = await admin(['keys', 'list'], { DATABASE_URL: url });
  expect([code, stderr]).toEqual([1, 'A server cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n']);
});

test('the admin process prints help with status 0 and errors to stderr with status 2', async () => {
  const [help, wrong] = await Promise.all([runAdminProcess(['--help'], {}), runAdminProcess(['kyes'], {})]);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('\nkeys '), stderr: '' });
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('"kyes"') });
});
