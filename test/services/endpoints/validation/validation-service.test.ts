import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createValidationStore } from '../../../../db/endpoints/validation-store.ts';
import type { PrivateEndpoint } from '../../../../domain/endpoints/private-endpoint.ts';
import {
  createValidationService,
  type ValidationService,
} from '../../../../services/endpoints/validation/validation-service.ts';
import { startValidationScene, type ValidationScene } from './validation-scene.ts';

let scene: ValidationScene;

beforeAll(async () => {
  scene = await startValidationScene();
});

afterAll(() => scene.close());

beforeEach(() => scene.server.reset());

const never = new AbortController().signal;

function service(startValidation: () => Promise<void>): ValidationService {
  return createValidationService({ knex: scene.deps.knex, runs: { startValidation }, waitMs: 300 });
}

/** A service whose runs have ended as soon as they are started. */
function quickService(): ValidationService {
  return createValidationService({
    knex: scene.deps.knex,
    runs: { startValidation: async ({ validationId }) => void (await scene.run(validationId)) },
  });
}

async function endpointOf(id: string): Promise<PrivateEndpoint> {
  return (await createValidationStore(scene.deps.knex).readEndpoint(id))!;
}

const actor = () => ({ organizationId: scene.gateway.organizationId });

test('answers 503 and forgets the run when it cannot be started', async () => {
  const endpoint = await scene.newEndpoint();
  const { validate, latestOf } = service(() => Promise.reject(new Error('Temporal is away')));
  await expect(validate(actor(), endpoint, scene.gateway.workspaceId, never)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(await latestOf(await endpointOf(endpoint))).toBeNull();
});

test('keeps the run of another request when its own start fails', async () => {
  const endpoint = await scene.newEndpoint();
  const id = await scene.begin(endpoint);
  const { validate } = service(() => Promise.reject(new Error('Temporal is away')));
  await expect(validate(actor(), endpoint, scene.gateway.workspaceId, never)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect((await scene.stored(id)).state).toBe('running');
});

test('answers 408 while the run goes on', async () => {
  const endpoint = await scene.newEndpoint();
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
  const answer = validate(actor(), await scene.newEndpoint(), scene.gateway.workspaceId, gone);
  await expect(answer).rejects.toMatchObject({ code: 'client_cancelled' });
});

test.each([
  ['activated', undefined],
  ['failed', () => (scene.server.model = 'other')],
] as const)('tells that a new endpoint was %s', async (kind, prepare) => {
  prepare?.();
  const endpoint = await endpointOf(await scene.newEndpoint());
  const { startActivation } = quickService();
  const outcome = await startActivation({ endpoint, workspaceId: scene.gateway.workspaceId, gone: never });
  expect(outcome.kind).toBe(kind);
  expect(await scene.statusOf(endpoint.id)).toBe(kind === 'activated' ? 'active' : 'draft');
});

test('tells that the checks of a new endpoint go on, or were overtaken by a change', async () => {
  const workspaceId = scene.gateway.workspaceId;
  const running = await endpointOf(await scene.newEndpoint());
  const request = { endpoint: running, workspaceId, gone: never };
  expect(await service(async () => {}).startActivation(request)).toEqual({ kind: 'running' });
  const endpoint = await endpointOf(await scene.newEndpoint());
  scene.meanwhile(() => scene.edit(endpoint.id, `upstream_model_id = 'another'`));
  const { startActivation } = quickService();
  expect(await startActivation({ ...request, endpoint })).toMatchObject({ kind: 'stale' });
});

test('shows a result as current for the configuration that it is about, for a day', async () => {
  const id = await scene.newEndpoint();
  const { latestOf } = service(async () => {});
  const validation = await scene.begin(id);
  await scene.run(validation);
  const isCurrent = async () => (await latestOf(await endpointOf(id)))!.isCurrent;
  expect(await isCurrent()).toBe(true);
  await scene.edit(id, `base_url = base_url || '/'`);
  expect(await isCurrent()).toBe(true);
  await scene.edit(id, `upstream_model_id = 'another'`);
  expect(await isCurrent()).toBe(false);
  await scene.edit(id, `upstream_model_id = 'acme/tuned-7b'`);
  await scene.gateway.database.query(
    `update private_endpoint_validations set finished_at = now() - interval '24 hours' where id = $1`,
    [validation],
  );
  expect(await isCurrent()).toBe(false);
});
