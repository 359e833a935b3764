import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ForbiddenResponseError } from '@openrouter/sdk/models/errors';
import { addCredit, addOrganization, addKey } from '../support/accounts.ts';
import { runAdmin } from '../support/admin.ts';
import { createCaller } from '../support/caller.ts';
import { completed } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const clientOf = (apiKey: string) => publishedClient(gateway, apiKey);

describe('GET /credits', () => {
  test('returns bought and used credit to the published client', async () => {
    const client = clientOf(gateway.managementKey);
    expect(await client.credits.getCredits()).toEqual({ data: { totalCredits: 0, totalUsage: 0 } });
    await addCredit(gateway, '25.5');
    await addCredit(gateway, '-0.5');
    await addCredit(gateway, '1000', (await addOrganization(gateway)).organizationId);
    const body = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello there' }] };
    const { usage } = await completed(await gateway.call('POST', '/chat/completions', { body }));
    expect(await client.credits.getCredits()).toEqual({
      data: { totalCredits: 25, totalUsage: usage!.cost },
    });
  });

  test('answers 403 to a regular key', async () => {
    const thrown: unknown = await clientOf((await addKey(gateway)).token)
      .credits.getCredits()
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ForbiddenResponseError);
    const caller = createCaller(gateway.origin, gateway.managementKey);
    expect((await caller.call('GET', '/credits')).status).toBe(200);
  });
});

describe('the command admin credits', () => {
  /** The command of the gateway's organization; other tests have made further ones. */
  const credits = (...words: string[]) =>
    runAdmin(gateway, ['credits', ...words, '--organization', gateway.organizationId]);

  test('adds credit, writes an audit entry and lists the entry', async () => {
    const before = await clientOf(gateway.managementKey).credits.getCredits();
    const added = await credits('add', '--usd', '12.25', '--note', 'invoice 7');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/^Bought \$[\d.]+, used \$[\d.]+, left \$[\d.]+\n$/);
    await credits('add', '--usd=-0.25', '--note', 'a correction');
    const { data } = await clientOf(gateway.managementKey).credits.getCredits();
    expect(data.totalCredits).toBe(before.data.totalCredits + 12);

    const listed = await credits('list');
    expect(listed.stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(/^at +usd +note$/),
      expect.stringMatching(/ -0\.25 +a correction$/),
      expect.stringMatching(/ 12\.25 +invoice 7$/),
    ]);
    const { rows } = await gateway.database.query(
      `select action, key_hash, target like 'credits/%' is_target from audit_log where action = 'addCredits'`,
    );
    expect(rows).toEqual([
      { action: 'addCredits', key_hash: null, is_target: true },
      { action: 'addCredits', key_hash: null, is_target: true },
    ]);
  });

  test.each([
    [['add'], '--usd is missing'],
    [['add', '--usd', 'ten'], '--usd must be a decimal amount of dollars, such as 25 or 0.50'],
    [['add', '--usd', '0'], '--usd must not be zero'],
    [['spend'], 'credits: "spend" was given where one of add, list belongs'],
  ])('exits with 2 and explains the fault of %j', async (args, message) => {
    const { code, stderr } = await credits(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
