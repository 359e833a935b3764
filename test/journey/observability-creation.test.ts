import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import {
  deleteDestination,
  destinationOf,
  draftOf,
  getDestination,
  listDestinations,
  makeDestination,
  postDestination,
} from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let manager: Caller;
let foreign: Place;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  foreign = await addOrganization(gateway);
});

afterAll(() => gateway.close());

/** A workspace without destinations, and an empty draft for it. */
async function freshPlace(): Promise<{ workspace_id: string }> {
  return { workspace_id: (await addWorkspace(gateway)).workspaceId };
}

async function issuesOf(response: Response): Promise<string[]> {
  const { code, metadata } = await errorOf(response);
  expect(code).toBe(400);
  return metadata.issues!.map(({ path, message }) => `${path} ${message}`);
}

describe('a new destination', () => {
  test('has every field in its answer, and defaults for those the request omits', async () => {
    const made = await makeDestination(manager, { color: 'red' }, 'langfuse');
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workspace_id: gateway.workspaceId,
      name: 'To langfuse',
      type: 'langfuse',
      config: {
        publicKey: 'pk-l...6789',
        secretKey: 'sk-l...6789',
        baseUrl: 'https://us.cloud.langfuse.com',
      },
      enabled: true,
      api_key_hashes: null,
      broadcast_generation_cost: false,
      broadcast_generation_cost_allocation: false,
      broadcast_generation_identity: false,
      broadcast_generation_request_context: false,
      filter_rules: null,
      privacy_mode: false,
      regions: ['global'],
      sampling_rate: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      delivery: {
        state: 'idle',
        reason: null,
        next_attempt_at: null,
        backlog: 0,
        oldest_age_seconds: null,
        delivered: 0,
        rejected: 0,
        without_content: 0,
        undecided: 0,
        given_up: 0,
        dead_letters: 0,
      },
    });
    expect(await getDestination(manager, made.id)).toEqual(made);
    expect((await listDestinations(manager)).data).toContainEqual(made);
  });

  test('keeps every field of the request', async () => {
    const { hash } = await addKey(gateway);
    const fields = {
      ...(await freshPlace()),
      enabled: false,
      broadcast_generation_cost: true,
      broadcast_generation_cost_allocation: true,
      broadcast_generation_identity: true,
      broadcast_generation_request_context: true,
      filter_rules: {
        enabled: false,
        groups: [{ logic: 'or', rules: [{ field: 'total_cost', operator: 'gte', value: 0.5 }] }],
      },
      privacy_mode: true,
      sampling_rate: 0.0001,
    };
    const lists = { api_key_hashes: [hash.toUpperCase(), hash], regions: ['us', 'eu', 'europe', 'us'] };
    expect(await makeDestination(manager, { ...fields, ...lists })).toMatchObject({
      ...fields,
      api_key_hashes: [hash],
      regions: ['us', 'europe'],
    });
  });

  test('answers 400 with every violation that the contract cannot check', async () => {
    const { hash } = await addKey(gateway, foreign);
    const rule = (value: string) => ({ field: 'model', operator: 'regex', value });
    const body = {
      workspace_id: foreign.workspaceId,
      api_key_hashes: [hash, 'b'.repeat(64)],
      config: { url: 'https://169.254.169.254/latest', headers: { 'x-key': '...' } },
      filter_rules: {
        groups: [
          { rules: [rule('^a+$'), rule('(?=a)')] },
          { rules: [rule('a(')] },
          { rules: [rule('(a?){1000}')] },
        ],
      },
    };
    const noExpression = 'must be a regular expression in RE2 syntax:';
    const noKey = 'is the hash of no key of the organization';
    expect(await issuesOf(await postDestination(manager, draftOf('webhook', body)))).toEqual([
      'body.config.headers.x-key looks like a masked secret: send the secret itself',
      'body.config.url The URL leads to an address that is not allowed',
      `body.filter_rules.groups.0.rules.1.value ${noExpression} invalid or unsupported Perl syntax: \`(?=\``,
      `body.filter_rules.groups.1.rules.0.value ${noExpression} missing closing ): \`a(\``,
      'body.filter_rules.groups.2.rules.0.value must be a smaller regular expression: its repetitions are too large',
      `body.api_key_hashes.0 ${noKey}`,
      `body.api_key_hashes.1 ${noKey}`,
      'body.workspace_id is no workspace of the organization',
    ]);
  });

  test.each<[string, object]>([
    ['webhook', { url: 'http://app.example/hook' }],
    ['otel-collector', { endpoint: 'https://user:password@collector.example/v1/traces' }],
    ['clickhouse', { host: 'https://10.0.0.1', database: 'd', username: 'u', password: 'p' }],
    ['langfuse', { publicKey: 'p', secretKey: 's', baseUrl: 'https://metadata.google.internal' }],
    ['sentry', { dsn: 'https://a@b.example/1', otlpEndpoint: 'https://[::1]:1/' }],
  ])('answers 400 for type %s to a URL that is not allowed', async (type, config) => {
    const [issue] = await issuesOf(await postDestination(manager, { name: 'x', type, config }));
    expect(issue).toMatch(/^body\.config\.(url|endpoint|host|baseUrl|otlpEndpoint) The URL /);
  });

  test('exists once after repeated requests, which all get the first answer', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = draftOf('posthog', await freshPlace());
    const answers = await Promise.all([1, 2, 3].map(() => postDestination(manager, body, headers)));
    answers.push(await postDestination(manager, body, headers));
    const made = await Promise.all(answers.map((answer) => destinationOf(answer, 201)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(answers.at(-1)!.headers.get('idempotent-replayed')).toBe('true');
    const other = { ...body, name: 'Other' };
    expect((await postDestination(manager, other, headers)).status).toBe(422);
  });
});

describe('the destinations of one type in a workspace', () => {
  test('reach their limit by one request and its concurrent repetitions, which return one id with 201', async () => {
    const place = await freshPlace();
    for (let count = 0; count < 4; count += 1) await makeDestination(manager, place);
    const headers = { 'idempotency-key': 'last' };
    const answers = await Promise.all(
      [1, 2, 3].map(() => postDestination(manager, draftOf('webhook', place), headers)),
    );
    const made = await Promise.all(answers.map((answer) => destinationOf(answer, 201)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });

  test('number five at most, disabled and concurrent ones included', async () => {
    const place = await freshPlace();
    await makeDestination(manager, { ...place, enabled: false });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => postDestination(manager, draftOf('webhook', place))),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 201, 201, 409, 409,
    ]);
    const refused = await errorOf(answers.find(({ status }) => status === 409)!);
    expect(refused).toMatchObject({
      message: 'Resource conflict. Please try again later.',
      metadata: { reason: 'too_many_destinations', retryable: false },
    });
    await makeDestination(manager, place, 'ramp');
    await makeDestination(manager, await freshPlace());
    const [oldest] = (await listDestinations(manager, `?workspace_id=${place.workspace_id}`)).data;
    expect((await deleteDestination(manager, oldest!.id)).status).toBe(200);
    await makeDestination(manager, place);
  });
});
