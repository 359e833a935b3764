import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DESTINATION_TYPES, type DestinationType } from '../../domain/broadcast/destination.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { openConfig } from '../../services/broadcast/sealed-config.ts';
import { addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import {
  CONFIGS,
  getDestination,
  makeDestination,
  patchDestination,
  updateDestination,
  type WireDestination,
} from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

const headers = { 'X-Team': 'team-0123456789-456789', 'x-short': 'tiny' };

async function make(type: DestinationType, config: object = {}): Promise<WireDestination> {
  const { workspaceId } = await addWorkspace(gateway);
  const fields = { workspace_id: workspaceId, config: { ...CONFIGS[type], headers, ...config } };
  return makeDestination(manager, fields, type);
}

/** The configuration as the delivery gets it. */
async function openedConfig({ id, type }: WireDestination): Promise<object> {
  const { rows } = await gateway.database.query<{ config_sealed: string }>(
    'select config_sealed from observability_destinations where id = $1',
    [id],
  );
  const encryption = createEncryption(gateway.config.encryption);
  return openConfig(encryption, { id, type, configSealed: rows[0]!.config_sealed }).config;
}

async function issuesOf(id: string, config: object): Promise<string[]> {
  const { code, metadata } = await errorOf(await patchDestination(manager, id, { config }));
  expect(code).toBe(400);
  return metadata.issues!.map(({ path, message }) => `${path} ${message}`);
}

describe.each(DESTINATION_TYPES)('the configuration of %s', (type) => {
  test('rests in the database sealed, and answers mask its secrets', async () => {
    const made = await make(type);
    expect(made.config['headers']).toEqual({ 'X-Team': 'team...6789', 'x-short': '...' });
    expect(await openedConfig(made)).toMatchObject({ ...CONFIGS[type], headers });
    const { rows } = await gateway.database.query<{ text: string }>(
      `select row_to_json(d)::text as text from observability_destinations d where id = $1`,
      [made.id],
    );
    // The digits are in all secrets but the short one, and in nothing else.
    for (const text of [JSON.stringify(made), rows[0]!.text]) {
      expect(text).not.toContain('0123456789');
      expect(text).not.toContain('tiny');
    }
  });

  test('keeps its secrets when the client sends their masks back', async () => {
    const made = await make(type);
    const before = await openedConfig(made);
    const after = await updateDestination(manager, made.id, { config: made.config });
    expect(after.config).toEqual(made.config);
    expect(await openedConfig(made)).toEqual(before);
  });
});

describe('a changed configuration', () => {
  test('replaces the whole configuration, and keeps secrets whose masks it repeats', async () => {
    const made = await make('langsmith', { workspaceId: 'team' });
    const config = {
      apiKey: made.config['apiKey'],
      project: 'other',
      headers: { 'x-team': 'team...6789', 'x-new': 'new-0123456789-456789' },
    };
    const after = await updateDestination(manager, made.id, { config });
    expect(after.config).toEqual({
      apiKey: 'key-...6789',
      project: 'other',
      endpoint: 'https://api.smith.langchain.com',
      headers: { 'x-team': 'team...6789', 'x-new': 'new-...6789' },
    });
    expect(await openedConfig(made)).toEqual({
      apiKey: 'key-0123456789-456789',
      project: 'other',
      endpoint: 'https://api.smith.langchain.com',
      headers: { 'x-team': 'team-0123456789-456789', 'x-new': 'new-0123456789-456789' },
    });
  });

  const again = 'must be sent again in full, because the address or account changes';

  test.each<[DestinationType, object, string[]]>([
    ['langfuse', { baseUrl: 'https://collect.example' }, ['publicKey', 'secretKey']],
    ['clickhouse', { host: 'https://collect.example' }, ['password']],
    ['datadog', { url: 'https://collect.example' }, ['apiKey']],
    ['posthog', { endpoint: 'https://collect.example' }, ['apiKey']],
    ['snowflake', { account: 'collect' }, ['token']],
    ['sentry', { otlpEndpoint: 'https://collect.example' }, ['dsn']],
    ['s3', { endpoint: 'https://collect.example' }, ['accessKeyId', 'secretAccessKey', 'sessionToken']],
    ['webhook', { url: 'https://collect.example' }, []],
  ])('requires for %s all secrets again when %j differs', async (type, target, secrets) => {
    const made = await make(type);
    const before = await openedConfig(made);
    const paths = [...secrets, 'headers.X-Team', 'headers.x-short'];
    expect((await issuesOf(made.id, { ...made.config, ...target })).toSorted()).toEqual(
      paths.map((path) => `body.config.${path} ${again}`).toSorted(),
    );
    expect(await openedConfig(made)).toEqual(before);
    const whole = { ...CONFIGS[type], ...target, headers };
    await updateDestination(manager, made.id, { config: whole });
    expect(await openedConfig(made)).toMatchObject(whole);
  });

  test('answers 400 to a mask of another secret, and names its field', async () => {
    const made = await make('langfuse');
    const config = { ...made.config, secretKey: 'abcd...wxyz', headers: { 'x-other': '...' } };
    const message = 'looks like a masked secret: send the secret itself';
    expect(await issuesOf(made.id, config)).toEqual([
      `body.config.secretKey ${message}`,
      `body.config.headers.x-other ${message}`,
    ]);
  });

  test('answers 400 if new headers and kept secrets are too large together', async () => {
    const made = await make('webhook', { headers: { 'x-large': 'v'.repeat(8_000) } });
    const kept = made.config['headers'] as object;
    const config = { ...made.config, headers: { ...kept, 'x-more': 'v'.repeat(1_000) } };
    expect(await issuesOf(made.id, config)).toEqual([
      'body.config.headers must have at most 8192 bytes in all names and values',
    ]);
  });

  test("leaves the destination's other fields unchanged, and they leave it unchanged", async () => {
    const made = await make('posthog');
    const before = await openedConfig(made);
    await updateDestination(manager, made.id, { name: 'Renamed', privacy_mode: true });
    expect(await openedConfig(made)).toEqual(before);
    await updateDestination(manager, made.id, { config: { apiKey: 'another-0123456789-456789' } });
    expect(await getDestination(manager, made.id)).toMatchObject({
      name: 'Renamed',
      config: { apiKey: 'anot...6789', endpoint: 'https://us.i.posthog.com' },
    });
  });
});

test('a sealed configuration does not open for another destination', async () => {
  const [first, second] = [await make('posthog'), await make('posthog')];
  await gateway.database.query(
    `update observability_destinations set config_sealed =
       (select config_sealed from observability_destinations where id = $1) where id = $2`,
    [first.id, second.id],
  );
  await expect(openedConfig(second)).rejects.toThrow();
});
