import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bootstrap } from '../../../admin/bootstrap.ts';
import { createCatalogStore } from '../../../db/catalog/catalog-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { uncheckedRowsOf } from '../../support/knex-bridge.ts';
import { createEndpointStore, type NamedEndpoint } from '../../../db/endpoints/endpoint-store.ts';
import { newUuid } from '../../../domain/ids.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { EndpointDraft } from '../../../services/endpoints/check-endpoint-draft.ts';
import type {
  ActivationOutcome,
  ActivationRequest,
} from '../../../services/endpoints/validation/validation-service.ts';
import { digestOf } from '../../../services/endpoints/digest-of.ts';
import {
  createPrivateEndpointService,
  type PrivateEndpointService,
} from '../../../services/endpoints/private-endpoint-service.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

let testDatabase: TestDatabase;
let database: Database;
let actor: Actor;
let workspaceId: string;
let service: PrivateEndpointService;
/** Organizations that were forgotten. */
let forgotten: string[];
let activations: ActivationRequest[];
/** What the start of an activation does. */
let activate: () => Promise<ActivationOutcome>;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 4 });
  const encryption = { currentKeyId: 'test', keys: new Map([['test', randomBytes(32)]]) };
  const account = { organizationName: 'Test', email: 'owner@example.com', entitlements: [] };
  const made = await bootstrap(testDatabase.url, encryption, { ...account, creditEnforcement: false });
  actor = { organizationId: made.organizationId };
  workspaceId = made.workspaceId;
  service = createPrivateEndpointService({
    knex: database.knex,
    catalog: createCatalogStore(database.knex),
    checkUrl: () => {},
    logger: createLogger({ level: 'fatal', name: 'test' }),
    forgetOwnResources: (organizationId) => forgotten.push(organizationId),
    validations: {
      async startActivation(request) {
        activations.push(request);
        return activate();
      },
    },
  });
});

beforeEach(() => {
  forgotten = [];
  activations = [];
  activate = async () => ({ kind: 'running' });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const DRAFT: EndpointDraft = {
  model: 'local/echo-1',
  providerSlug: 'openai-compatible',
  upstreamModelId: 'tuned',
  baseUrl: 'https://vllm.example/v1',
  declaredRegion: null,
  declaredZdr: null,
  declaredParameters: null,
};

function create(fields: Partial<EndpointDraft> = {}, key?: string) {
  return service.create(
    actor,
    { ...DRAFT, ...fields },
    {
      ...(key === undefined ? {} : { idempotency: { key, requestHash: 'hash' } }),
      gone: new AbortController().signal,
    },
  );
}

async function makeEndpoint(): Promise<NamedEndpoint> {
  return (await create()).endpoint;
}

async function addPassedValidation(endpoint: NamedEndpoint): Promise<string> {
  const id = newUuid();
  await database.knex('private_endpoint_validations').insert({
    id,
    endpoint_id: endpoint.id,
    workspace_id: workspaceId,
    digest: digestOf(endpoint),
    activates: false,
    state: 'passed',
    finished_at: new Date(),
  });
  return id;
}

const count = async (): Promise<number> => (await service.list(actor.organizationId)).length;

describe('the creation of an endpoint with activateIn', () => {
  test('activates the stored endpoint and returns the outcome', async () => {
    expect(await create({ activateIn: workspaceId })).toMatchObject({
      replayed: false,
      activation: { kind: 'running' },
    });
    const [request] = activations;
    expect(request!.workspaceId).toBe(workspaceId);
    expect(await service.get(actor.organizationId, request!.endpoint.id)).toEqual(request!.endpoint);
  });

  test('returns the draft and "unknown" when its activation times out', async () => {
    activate = () =>
      database.knex.transaction(async (transaction) => {
        await transaction.raw(`set local statement_timeout = '1ms'`);
        await transaction.raw('select pg_sleep(10)');
        return { kind: 'running' };
      });
    const { endpoint, activation } = await create({ activateIn: workspaceId });
    expect(activation).toMatchObject({ kind: 'unknown', error: { code: 'timeout' } });
    expect(await service.get(actor.organizationId, endpoint.id)).toEqual(endpoint);
  });

  test('throws an unexpected error of the activation', async () => {
    activate = () => Promise.reject(new Error('a mistake in the code'));
    await expect(create({ activateIn: workspaceId })).rejects.toThrow('a mistake in the code');
  });

  test('activates nothing when the request is repeated, and returns the endpoint', async () => {
    await create({ activateIn: workspaceId }, 'once');
    const again = await create({ activateIn: workspaceId }, 'once');
    expect(again).toMatchObject({ endpoint: { status: 'draft' }, replayed: true, activation: null });
    expect(activations).toHaveLength(1);
  });

  test('fails with workspace_not_found for an unknown workspace and creates nothing', async () => {
    const before = await count();
    await expect(create({ activateIn: newUuid() })).rejects.toMatchObject({
      code: 'invalid_argument',
      options: { reason: 'workspace_not_found' },
    });
    expect([await count(), activations]).toEqual([before, []]);
  });
});

describe('every change of an endpoint', () => {
  test('makes this process forget its cached resources before it returns', async () => {
    const endpoint = await makeEndpoint();
    await service.update(actor, endpoint.id, { upstreamModelId: 'tuned' });
    await service.setPricing(actor, endpoint.id, { prompt: '1', completion: '1' });
    await addPassedValidation(endpoint);
    await service.activate(actor, endpoint.id);
    await service.switch(actor, endpoint.id, 'disabled');
    await service.remove(actor, endpoint.id, { draftOnly: false });
    expect(forgotten).toEqual(Array(6).fill(actor.organizationId));
  });
});

describe('an activation', () => {
  test('waits for a concurrent change and then fails with not_validated', async () => {
    const endpoint = await makeEndpoint();
    await addPassedValidation(endpoint);
    let activating: Promise<NamedEndpoint> | undefined;
    await database.knex.transaction(async (transaction) => {
      const store = createEndpointStore(transaction);
      await store.lock(actor.organizationId, endpoint.id);
      const { upstreamModelId, declaredRegion, declaredZdr, declaredParameters, revision } = endpoint;
      const declared = { declaredRegion, declaredZdr, declaredParameters };
      const baseUrl = 'https://other.example/v1';
      await store.configure(endpoint.id, { upstreamModelId, baseUrl, ...declared, revision });
      activating = service.activate(actor, endpoint.id);
      activating.catch(() => undefined);
      await eventually('the activation to wait', async () => {
        const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        return (await uncheckedRowsOf(database.knex, waiting, [])).length > 0 ? true : undefined;
      });
    });
    await expect(activating).rejects.toMatchObject({
      code: 'conflict',
      options: { reason: 'not_validated' },
    });
    expect((await service.get(actor.organizationId, endpoint.id)).status).toBe('draft');
  });
});
