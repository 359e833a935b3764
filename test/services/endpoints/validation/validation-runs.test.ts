import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createValidationStore } from '../../../../db/endpoints/validation-store.ts';
import type { Check, Validation } from '../../../../domain/endpoints/validation.ts';
import {
  endValidation,
  validateEndpoint,
} from '../../../../services/endpoints/validation/validate-endpoint.ts';
import { createValidationService } from '../../../../services/endpoints/validation/validation-service.ts';
import { addWorkspace } from '../../../support/accounts.ts';
import { completion, sendJson } from '../../../support/model-server.ts';
import { insertEndpoint } from '../../../support/private-endpoints.ts';
import { ALL_PASSED, failsAt, startValidationScene, type ValidationScene } from './validation-scene.ts';

let scene: ValidationScene;

beforeAll(async () => {
  scene = await startValidationScene();
});

afterAll(() => scene.close());

beforeEach(() => scene.server.reset());

const never = new AbortController().signal;

function run(id: string): Promise<boolean> {
  return validateEndpoint(scene.deps.validations, id, never);
}

async function stored(id: string): Promise<Validation> {
  return (await createValidationStore(scene.deps.knex).find(id))!;
}

function newEndpoint(): Promise<string> {
  return insertEndpoint(scene.gateway, { base_url: scene.server.baseUrl });
}

function edit(id: string, sql: string): Promise<unknown> {
  return scene.gateway.database.query(`update private_endpoints set ${sql} where id = $1`, [id]);
}

/** Does something while the first call waits for its answer. */
function meanwhile(act: () => Promise<unknown>): void {
  scene.server.faults.whole = async (response, { body }) => {
    await act();
    sendJson(response, 200, completion(String(body['model'])));
  };
}

describe('a run that activates', () => {
  test('makes the draft active with its result, and says so in the audit log', async () => {
    const endpoint = await newEndpoint();
    expect(await run(await scene.begin(endpoint, { activates: true }))).toBe(true);
    expect(await scene.statusOf(endpoint)).toBe('active');
    const { rows } = await scene.gateway.database.query(
      'select action, by_system from audit_log where target = $1',
      [`private-endpoints/${endpoint}`],
    );
    expect(rows).toEqual([{ action: 'activatePrivateEndpoint', by_system: true }]);
  });

  test('leaves the draft when a check fails', async () => {
    const endpoint = await newEndpoint();
    scene.server.model = 'other';
    expect(await run(await scene.begin(endpoint, { activates: true }))).toBe(false);
    expect(await scene.statusOf(endpoint)).toBe('draft');
  });

  test.each([
    ['its model', `upstream_model_id = 'another'`],
    ['its address', `base_url = 'https://another.example/v1'`],
    ['its parameters', `declared_parameters = '{seed}'`],
    ['its region', `declared_region = 'us'`],
    ['its retention', `declared_zdr = true`],
  ])('leaves a draft that was changed meanwhile in %s', async (_, change) => {
    const endpoint = await newEndpoint();
    meanwhile(() => edit(endpoint, change));
    const id = await scene.begin(endpoint, { activates: true });
    expect(await run(id)).toBe(true);
    expect(await scene.statusOf(endpoint)).toBe('draft');
    expect((await stored(id)).checks).toEqual(ALL_PASSED);
  });

  test('activates a draft whose prices were changed meanwhile', async () => {
    const endpoint = await newEndpoint();
    meanwhile(() => edit(endpoint, `pricing = '{"prompt":"1"}'`));
    await run(await scene.begin(endpoint, { activates: true }));
    expect(await scene.statusOf(endpoint)).toBe('active');
  });

  test.each([
    ['disabled', `status = 'disabled'`],
    ['deleted', 'deleted_at = now()'],
  ])('does not revive an endpoint that was %s meanwhile', async (_, change) => {
    const endpoint = await newEndpoint();
    meanwhile(() => edit(endpoint, change));
    await run(await scene.begin(endpoint, { activates: true }));
    expect(await scene.statusOf(endpoint)).not.toBe('active');
  });
});

describe('a run', () => {
  test('that finds another configuration than it was begun for calls nobody', async () => {
    const endpoint = await newEndpoint();
    const id = await scene.begin(endpoint);
    await edit(endpoint, `upstream_model_id = 'another'`);
    expect(await run(id)).toBe(false);
    expect((await stored(id)).checks).toEqual(failsAt('base_url_allowed', { reason: 'validation_stale' }));
    expect(scene.server.received).toEqual([]);
  });

  test('of a deleted endpoint calls nobody', async () => {
    const endpoint = await newEndpoint();
    const id = await scene.begin(endpoint);
    await edit(endpoint, 'deleted_at = now()');
    expect(await run(id)).toBe(false);
    expect((await stored(id)).checks).toEqual(failsAt('base_url_allowed', { reason: 'endpoint_not_found' }));
  });

  test('that has ended is not made again', async () => {
    const id = await scene.begin(await newEndpoint());
    expect([await run(id), await run(id)]).toEqual([true, true]);
    expect(scene.server.received).toHaveLength(2);
  });

  test('that was ended while it called keeps the result that it was given', async () => {
    const id = await scene.begin(await newEndpoint());
    meanwhile(() => endValidation(scene.deps.validations, id));
    await expect(run(id)).rejects.toThrow('the validation has ended');
    expect(await stored(id)).toMatchObject({
      state: 'failed',
      checks: failsAt('model_answers', { reason: 'upstream_error' }),
    });
    expect(scene.server.received).toHaveLength(1);
  });

  test('that was withdrawn calls nobody', async () => {
    const id = await scene.begin(await newEndpoint());
    await createValidationStore(scene.deps.knex).withdraw(id);
    expect(await run(id)).toBe(false);
    expect(scene.server.received).toEqual([]);
  });

  test('notes before each call how it ends without a further word', async () => {
    const endpoint = await insertEndpoint(scene.gateway, {
      base_url: scene.server.baseUrl,
      declared_parameters: ['seed'],
    });
    const id = await scene.begin(endpoint);
    const noted: Check[][] = [];
    const look = async () => void noted.push((await stored(id)).checks);
    meanwhile(look);
    scene.server.faults.parameters = async (response, { body }) => {
      await look();
      sendJson(response, 200, completion(String(body['model'])));
    };
    expect(await run(id)).toBe(true);
    expect(noted).toEqual([
      failsAt('model_answers', { reason: 'upstream_error' }),
      failsAt('parameters_ok', { reason: 'upstream_error' }),
    ]);
  });
});

describe('runs at once', () => {
  test('of one configuration for one workspace are one run', async () => {
    const endpoint = await newEndpoint();
    const ids = await Promise.all([scene.begin(endpoint), scene.begin(endpoint), scene.begin(endpoint)]);
    expect(new Set(ids).size).toBe(1);
  });

  test('for two workspaces are two runs, and so are those of two configurations', async () => {
    const endpoint = await newEndpoint();
    const { workspaceId } = await addWorkspace(scene.gateway);
    const ids = [await scene.begin(endpoint), await scene.begin(endpoint, { workspaceId })];
    await edit(endpoint, `upstream_model_id = 'another'`);
    ids.push(await scene.begin(endpoint));
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a run that nobody ended', () => {
  const age = (id: string, interval: string): Promise<unknown> =>
    scene.gateway.database.query(
      `update private_endpoint_validations set created_at = created_at - interval '${interval}',
         finished_at = finished_at - interval '${interval}' where id = $1`,
      [id],
    );

  test('is read as failed after 130 seconds, takes no result, and makes room for the next', async () => {
    const endpoint = await newEndpoint();
    const id = await scene.begin(endpoint);
    const store = createValidationStore(scene.deps.knex);
    await age(id, '129 seconds');
    expect((await stored(id)).state).toBe('running');
    await age(id, '2 seconds');
    expect(await stored(id)).toMatchObject({ state: 'failed', finishedAt: expect.any(Date) });
    expect(await store.finish(id, 'passed', [])).toBe(false);
    const next = await scene.begin(endpoint);
    expect(next).not.toBe(id);
    expect((await store.findLatest(endpoint))!.id).toBe(next);
  });

  test('goes 30 days after its end, when the endpoint is validated again', async () => {
    const endpoint = await newEndpoint();
    const ids = [await scene.begin(endpoint)];
    await run(ids[0]!);
    ids.push(await scene.begin(endpoint));
    await run(ids[1]!);
    await age(ids[0]!, '30 days');
    await age(ids[1]!, '29 days');
    await scene.begin(endpoint);
    const store = createValidationStore(scene.deps.knex);
    expect(await store.find(ids[0]!)).toBeNull();
    expect(await store.find(ids[1]!)).not.toBeNull();
  });
});

describe('the service', () => {
  const service = (startValidation: () => Promise<void>) =>
    createValidationService({ knex: scene.deps.knex, runs: { startValidation }, waitMs: 300 });
  const actor = () => ({ organizationId: scene.gateway.organizationId });
  const endpointOf = async (id: string) => (await createValidationStore(scene.deps.knex).readEndpoint(id))!;

  test('answers 503 and forgets the run when it cannot be started', async () => {
    const endpoint = await newEndpoint();
    const { validate, latestOf } = service(() => Promise.reject(new Error('Temporal is away')));
    await expect(validate(actor(), endpoint, scene.gateway.workspaceId, never)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await latestOf(await endpointOf(endpoint))).toBeNull();
  });

  test('keeps the run of another request when its own start fails', async () => {
    const endpoint = await newEndpoint();
    const id = await scene.begin(endpoint);
    const { validate } = service(() => Promise.reject(new Error('Temporal is away')));
    await expect(validate(actor(), endpoint, scene.gateway.workspaceId, never)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect((await stored(id)).state).toBe('running');
  });

  test('answers 408 while the run goes on', async () => {
    const endpoint = await newEndpoint();
    const { validate, latestOf } = service(async () => {});
    await expect(validate(actor(), endpoint, scene.gateway.workspaceId, never)).rejects.toMatchObject({
      code: 'timeout',
      options: { reason: 'validation_running' },
    });
    expect(await latestOf(await endpointOf(endpoint))).toMatchObject({
      isCurrent: true,
      validation: { state: 'running' },
    });
  });

  test('stops waiting when the caller leaves', async () => {
    const { validate } = createValidationService({
      knex: scene.deps.knex,
      runs: { startValidation: async () => {} },
    });
    const gone = AbortSignal.timeout(50);
    const answer = validate(actor(), await newEndpoint(), scene.gateway.workspaceId, gone);
    await expect(answer).rejects.toMatchObject({ code: 'client_cancelled' });
  });

  test.each([
    ['activated', undefined],
    ['failed', () => (scene.server.model = 'other')],
  ] as const)('tells that a new endpoint was %s', async (kind, prepare) => {
    prepare?.();
    const endpoint = await endpointOf(await newEndpoint());
    const { startActivation } = createValidationService({
      knex: scene.deps.knex,
      runs: { startValidation: async ({ validationId }) => void (await run(validationId)) },
    });
    const outcome = await startActivation({ endpoint, workspaceId: scene.gateway.workspaceId, gone: never });
    expect(outcome.kind).toBe(kind);
    expect(await scene.statusOf(endpoint.id)).toBe(kind === 'activated' ? 'active' : 'draft');
  });

  test('tells that the checks of a new endpoint go on, or were overtaken by a change', async () => {
    const workspaceId = scene.gateway.workspaceId;
    const running = await endpointOf(await newEndpoint());
    const request = { endpoint: running, workspaceId, gone: never };
    expect(await service(async () => {}).startActivation(request)).toEqual({ kind: 'running' });
    const endpoint = await endpointOf(await newEndpoint());
    meanwhile(() => edit(endpoint.id, `upstream_model_id = 'another'`));
    const { startActivation } = createValidationService({
      knex: scene.deps.knex,
      runs: { startValidation: async ({ validationId }) => void (await run(validationId)) },
    });
    expect(await startActivation({ ...request, endpoint })).toMatchObject({ kind: 'stale' });
  });

  test('shows a result as current for the configuration that it is about, for a day', async () => {
    const id = await newEndpoint();
    const { latestOf } = service(async () => {});
    const validation = await scene.begin(id);
    await run(validation);
    const isCurrent = async () => (await latestOf(await endpointOf(id)))!.isCurrent;
    expect(await isCurrent()).toBe(true);
    await edit(id, `base_url = base_url || '/'`);
    expect(await isCurrent()).toBe(true);
    await edit(id, `upstream_model_id = 'another'`);
    expect(await isCurrent()).toBe(false);
    await edit(id, `upstream_model_id = 'acme/tuned-7b'`);
    await scene.gateway.database.query(
      `update private_endpoint_validations set finished_at = now() - interval '24 hours' where id = $1`,
      [validation],
    );
    expect(await isCurrent()).toBe(false);
  });
});
