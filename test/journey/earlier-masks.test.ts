/** Rows of an earlier version, which showed URLs as they are and the ends of short secrets, get today's masks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../db/postgres/connection.ts';
import { up } from '../../migrations/20261127000000_mask_destination_urls.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { openConfig } from '../../services/broadcast/sealed-config.ts';
import { renewMasks } from '../../services/encryption/renew-masks.ts';
import { addWorkspace } from '../support/accounts.ts';
import type { ByokKeyRecord } from '../../contract/endpoints/byok-record.ts';
import { getByokKey, makeByokKey } from '../support/byok.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import {
  destinationOf,
  draftOf,
  getDestination,
  makeDestination,
  postDestination,
  updateDestination,
  type WireDestination,
} from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startReplica } from '../support/replica.ts';

let gateway: Gateway;
let manager: Caller;
let database: Database;

const URL_OF_WEBHOOK = 'https://app.example/hooks/Xk3v-0123456789-pQ9z?token=aB-0123456789';
const HEADERS = { 'x-team': 'team-0123456789' };

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  database = createDatabase({ url: gateway.config.database.url, poolMax: 2 });
});

afterAll(async () => {
  await database.close();
  await gateway.close();
});

let webhook: WireDestination;
let ramp: WireDestination;
let label: ByokKeyRecord;

beforeEach(async () => {
  const { workspaceId: workspace_id } = await addWorkspace(gateway);
  const config = { url: URL_OF_WEBHOOK, headers: HEADERS };
  webhook = await makeDestination(manager, { workspace_id, config });
  ramp = await makeDestination(manager, { workspace_id }, 'ramp');
  label = await makeByokKey(manager, { workspace_id, key: 'sk-0123456789-wxyz' });
  await show(webhook.id, { ...config, method: 'POST', headers: { 'x-team': 'team...6789' } });
  await database.knex('byok_credentials').where({ id: label.id }).update({ label: 'sk-0...wxyz' });
});

async function show(id: string, config: object): Promise<void> {
  const changes = { config_shown: JSON.stringify(config) };
  await database.knex('observability_destinations').where({ id }).update(changes);
}

async function shownRow(id: string): Promise<unknown> {
  const row = await database
    .knex('observability_destinations')
    .where({ id })
    .first<{ config_shown: unknown }>();
  return row.config_shown;
}

const openedUrl = async ({ id, type }: WireDestination): Promise<unknown> => {
  const row = await database.knex('observability_destinations').where({ id }).first('config_sealed');
  const { config_sealed: configSealed } = row as { config_sealed: string };
  const encryption = createEncryption(gateway.config.encryption);
  return { ...openConfig(encryption, { id, type, configSealed }).config };
};

describe('the migration of masks', () => {
  test('removes path and query of a URL from a row, and is idempotent', async () => {
    const shown = { url: 'https://app.example/...', method: 'POST', headers: { 'x-team': 'team...6789' } };
    for (let times = 0; times < 2; times += 1) {
      await up(database.knex);
      expect(await shownRow(webhook.id)).toEqual(shown);
    }
    expect((await getDestination(manager, webhook.id)).config).toEqual(shown);
  });

  test('removes them from a response stored for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': webhook.id };
    const body = draftOf('webhook', { workspace_id: webhook.workspace_id });
    await destinationOf(await postDestination(manager, body, headers), 201);
    const answers = () => database.knex('remembered_answers').where({ key: webhook.id });
    const url = '{"url":"https://app.example/hooks?token=aB-0123456789","method":"POST"}';
    await answers().update({ body: database.knex.raw(`jsonb_set(body, '{data,config}', ?)`, [url]) });
    await up(database.knex);
    const replayed = await destinationOf(await postDestination(manager, body, headers), 201);
    expect(replayed.config).toEqual({ url: 'https://app.example/...', method: 'POST' });
    expect(JSON.stringify(await answers())).not.toContain('0123456789');
  });

  test.each([
    ['https://app.example', 'https://app.example'],
    ['https://app.example/', 'https://app.example/'],
    ['https://app.example:444/a', 'https://app.example:444/...'],
    ['HTTPS://app.example?token=a', 'HTTPS://app.example/...'],
    ['https://app.example\\a', 'https://app.example/...'],
    ['https://app.example/a\nb/c', 'https://app.example/...'],
  ])('shows %j as %j', async (url, shown) => {
    await show(webhook.id, { url });
    await up(database.knex);
    expect(await shownRow(webhook.id)).toEqual({ url: shown });
  });

  test('leaves masks that an update accepts as the stored URL', async () => {
    await up(database.knex);
    const before = await openedUrl(webhook);
    const shown = await getDestination(manager, webhook.id);
    const { config } = await updateDestination(manager, webhook.id, { config: shown.config });
    expect(await openedUrl(webhook)).toEqual(before);
    expect(config).toMatchObject({ url: 'https://app.example/.../Xk3v...pQ9z?token=...' });
  });
});

describe('a starting API', () => {
  const exact = {
    url: 'https://app.example/.../Xk3v...pQ9z?token=...',
    method: 'POST',
    headers: { 'x-team': '...' },
  };

  test('writes exact masks for all rows', async () => {
    await up(database.knex);
    const replica = await startReplica(gateway);
    await replica.close();
    expect(await shownRow(webhook.id)).toEqual(exact);
    expect((await getDestination(manager, webhook.id)).config).toEqual(exact);
    expect((await getDestination(manager, ramp.id)).config).toEqual(ramp.config);
    expect(await getByokKey(manager, label.id)).toMatchObject({ label: '...' });
  });

  test('writes nothing when all masks are right', async () => {
    const lines: unknown[] = [];
    const logger = { info: (facts: unknown) => void lines.push(facts), warn: () => {} };
    const encryption = createEncryption(gateway.config.encryption);
    const deps = { knex: database.knex, encryption, logger: logger as never };
    await renewMasks(deps);
    expect(lines).toEqual([{ settings: 1, labels: 1 }]);
    await renewMasks(deps);
    expect(lines).toHaveLength(1);
  });

  test('keeps the mask of an unreadable secret and updates the others', async () => {
    await database
      .knex('observability_destinations')
      .where({ id: ramp.id })
      .update({ config_sealed: 'v1.gone.AAAA.AAAA', config_shown: '{"apiKey":"old"}' });
    const replica = await startReplica(gateway);
    await replica.close();
    expect(await shownRow(ramp.id)).toEqual({ apiKey: 'old' });
    expect(await shownRow(webhook.id)).toEqual(exact);
    await database.knex('observability_destinations').where({ id: ramp.id }).delete();
  });
});
