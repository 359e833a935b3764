import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DestinationType } from '../../domain/broadcast/destination.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { openConfig } from '../../services/broadcast/sealed-config.ts';
import { addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import {
  CONFIGS,
  draftOf,
  getDestination,
  listDestinations,
  makeDestination,
  patchDestination,
  postDestination,
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

/** A secret whose ends may be shown, and one that is too short for that. */
const LONG = 'Xk3v-0123456789-pQ9z';
const SHORT = 'aB-0123456789';

/** The URL field of each type, a URL with secrets in it, and how it is shown. */
const CASES: [DestinationType, string, string, string][] = [
  ['webhook', 'url', `https://app.example/services/T01/${LONG}`, 'https://app.example/.../.../Xk3v...pQ9z'],
  [
    'webhook',
    'url',
    `https://app.example/?token=${LONG}&a=1`,
    'https://app.example/?token=Xk3v...pQ9z&a=...',
  ],
  ['webhook', 'url', `https://app.example:444/v1/?${SHORT}`, 'https://app.example:444/.../?...'],
  [
    'otel-collector',
    'endpoint',
    `https://collector.example/${SHORT}/v1/traces?api_key=${LONG}`,
    'https://collector.example/.../v1/traces?api_key=Xk3v...pQ9z',
  ],
  [
    'sentry',
    'otlpEndpoint',
    `https://o1.ingest.us.sentry.io/api/42/integration/otlp/v1/traces/${LONG}?sentry_key=${SHORT}`,
    'https://o1.ingest.us.sentry.io/api/42/integration/otlp/v1/traces/Xk3v...pQ9z?sentry_key=...',
  ],
  ['arize', 'baseUrl', `https://proxy.example/${SHORT}/v1`, 'https://proxy.example/.../v1'],
  ['braintrust', 'baseUrl', `https://proxy.example/${SHORT}/otel/v1`, 'https://proxy.example/.../otel/v1'],
  ['clickhouse', 'host', `https://proxy.example/${LONG}/`, 'https://proxy.example/Xk3v...pQ9z/'],
  ['datadog', 'url', `https://proxy.example/${SHORT}/api/intake`, 'https://proxy.example/.../api/intake'],
  ['grafana', 'baseUrl', `https://proxy.example/${SHORT}/otlp`, 'https://proxy.example/.../otlp'],
  [
    'langfuse',
    'baseUrl',
    `https://proxy.example/${SHORT}/api/public`,
    'https://proxy.example/.../api/public',
  ],
  ['langsmith', 'endpoint', `https://proxy.example/${SHORT}/api/v1`, 'https://proxy.example/.../api/v1'],
  ['posthog', 'endpoint', `https://proxy.example/${SHORT}/batch/`, 'https://proxy.example/.../batch/'],
  ['ramp', 'baseUrl', `https://proxy.example/${SHORT}/unified`, 'https://proxy.example/.../unified'],
  ['s3', 'endpoint', `https://s3.example/${SHORT}`, 'https://s3.example/...'],
  ['weave', 'baseUrl', `https://proxy.example/${SHORT}/otel/v1`, 'https://proxy.example/.../otel/v1'],
];

async function make(type: DestinationType, config: object): Promise<WireDestination> {
  const { workspaceId } = await addWorkspace(gateway);
  return makeDestination(
    manager,
    { workspace_id: workspaceId, config: { ...CONFIGS[type], ...config } },
    type,
  );
}

/** The configuration as the delivery gets it. */
async function openedConfig({ id, type }: WireDestination): Promise<Record<string, unknown>> {
  const { rows } = await gateway.database.query<{ config_sealed: string }>(
    'select config_sealed from observability_destinations where id = $1',
    [id],
  );
  const encryption = createEncryption(gateway.config.encryption);
  return { ...openConfig(encryption, { id, type, configSealed: rows[0]!.config_sealed }).config };
}

async function issuesOf(id: string, config: object): Promise<string[]> {
  const { code, metadata } = await errorOf(await patchDestination(manager, id, { config }));
  expect(code).toBe(400);
  return metadata.issues!.map(({ path, message }) => `${path} ${message}`);
}

describe.each(CASES)('%s with a secret in its URL', (type, field, url, shown) => {
  test(`shows ${shown}, and stores the secret sealed only`, async () => {
    const made = await make(type, { [field]: url });
    expect(made.config[field]).toBe(shown);
    expect((await getDestination(manager, made.id)).config[field]).toBe(shown);
    const { data } = await listDestinations(manager, `?workspace_id=${made.workspace_id}`);
    expect(data.map(({ config }) => config[field])).toEqual([shown]);
    const { rows } = await gateway.database.query<{ text: string }>(
      `select row_to_json(d)::text as text from observability_destinations d where id = $1`,
      [made.id],
    );
    expect(rows[0]!.text).not.toContain('0123456789');
    expect((await openedConfig(made))[field]).toBe(url);
  });

  test('keeps the URL when the client sends its mask back', async () => {
    const made = await make(type, { [field]: url });
    const before = await openedConfig(made);
    const after = await updateDestination(manager, made.id, { config: made.config });
    expect(after.config).toEqual(made.config);
    expect(await openedConfig(made)).toEqual(before);
  });
});

describe('a masked URL', () => {
  const message = 'looks like a masked secret: send the secret itself';

  test.each([
    ['with another host', 'https://other.example/hooks/...?token=Xk3v...pQ9z'],
    ['with another path', 'https://app.example/other/...?token=Xk3v...pQ9z'],
    ['with another parameter', 'https://app.example/hooks/...?key=Xk3v...pQ9z'],
    ['with a new secret beside the mask of the old one', `https://app.example/.../...?token=${LONG}`],
    ['of another secret', 'https://app.example/.../...?token=abcd...wxyz'],
  ])('answers 400 %s', async (_, url) => {
    const made = await make('webhook', { url: `https://app.example/hooks/${SHORT}?token=${LONG}` });
    const before = await openedConfig(made);
    expect(made.config['url']).toBe('https://app.example/.../...?token=Xk3v...pQ9z');
    expect(await issuesOf(made.id, { url })).toEqual([`body.config.url ${message}`]);
    expect(await openedConfig(made)).toEqual(before);
  });

  test('answers 400 in a new destination', async () => {
    const config = { url: 'https://app.example/...' };
    const answer = await postDestination(manager, draftOf('webhook', { config }));
    const { code, metadata } = await errorOf(answer);
    expect(code).toBe(400);
    expect(metadata.issues).toEqual([{ path: 'body.config.url', message }]);
  });

  test('keeps header secrets as well, but a new URL requires them again', async () => {
    const headers = { 'x-team': 'team-0123456789-abcd' };
    const made = await make('webhook', { url: `https://app.example/${LONG}`, headers });
    await updateDestination(manager, made.id, { config: { ...made.config, method: 'PUT' } });
    expect(await openedConfig(made)).toMatchObject({ url: `https://app.example/${LONG}`, headers });
    expect(await issuesOf(made.id, { ...made.config, url: `https://app.example/new/${LONG}` })).toEqual([
      'body.config.headers.x-team must be sent again in full, because the address or account changes',
    ]);
  });
});
