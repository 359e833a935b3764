import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createValidationStore } from '../../../../db/endpoints/validation-store.ts';
import { MAX_OPEN_VALIDATIONS } from '../../../../domain/endpoints/validation.ts';
import type { PrivateEndpoint } from '../../../../domain/endpoints/private-endpoint.ts';
import {
  createValidationService,
  type ValidationService,
} from '../../../../services/endpoints/validation/validation-service.ts';
import { addOrganization, type Place } from '../../../support/accounts.ts';
import { addDraft } from '../../../support/own-resources.ts';
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

test('a validation that cannot be started answers 503 and leaves no run', async () => {
  const endpoint = await scene.newEndpoint();
  const { validate, latestOf } = service(() => Promise.reject(new Error('Temporal is away')));
  await expect(validate(actor(), endpoint, scene.gateway.workspaceId, never)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(await latestOf(await endpointOf(endpoint))).toBeNull();
});

test('a validation that cannot be started keeps the run of another request', async () => {
  const endpoint = await scene.newEndpoint();
  const id = await scene.begin(endpoint);
  const { validate } = service(() => Promise.reject(new Error('Temporal is away')));
  await expect(validate(actor(), endpoint, scene.gateway.workspaceId, never)).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect((await scene.stored(id)).state).toBe('running');
});

test('a validation that outlasts its request answers 408 with validation_running', async () => {
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

test('a validation ends its wait when the caller leaves', async () => {
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
] as const)('an activation of a new endpoint returns %s', async (kind, prepare) => {
  prepare?.();
  const endpoint = await endpointOf(await scene.newEndpoint());
  const { startActivation } = quickService();
  const outcome = await startActivation({ endpoint, workspaceId: scene.gateway.workspaceId, gone: never });
  expect(outcome.kind).toBe(kind);
  expect(await scene.statusOf(endpoint.id)).toBe(kind === 'activated' ? 'active' : 'draft');
});

test('an activation returns running while checks go on, and stale after a change', async () => {
  const workspaceId = scene.gateway.workspaceId;
  const running = await endpointOf(await scene.newEndpoint());
  const request = { endpoint: running, workspaceId, gone: never };
  expect(await service(async () => {}).startActivation(request)).toEqual({ kind: 'running' });
  const endpoint = await endpointOf(await scene.newEndpoint());
  scene.meanwhile(() => scene.edit(endpoint.id, `upstream_model_id = 'another'`));
  const { startActivation } = quickService();
  expect(await startActivation({ ...request, endpoint })).toMatchObject({ kind: 'stale' });
});

test('a result stays current for its configuration and for 24 hours', async () => {
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

describe('the open runs of an organization', () => {
  const draftOf = ({ organizationId }: Place): Promise<string> =>
    addDraft(scene.gateway, { organization_id: organizationId, base_url: scene.server.baseUrl });

  /** Begins a run that nobody works on. Returns the error of the request. */
  const beginFor = (place: Place, endpointId: string): Promise<unknown> =>
    idle()
      .validate({ organizationId: place.organizationId }, endpointId, place.workspaceId, never)
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  const idle = (): ValidationService => service(async () => {});
  const STARTED = { code: 'timeout', options: { reason: 'validation_running' } };
  const REFUSED = { code: 'conflict', options: { reason: 'too_many_validations', retryable: true } };

  /** An organization that has as many open runs as it may; returns the endpoint of one. */
  async function busyOrganization(): Promise<{ place: Place; busy: string }> {
    const place = await addOrganization(scene.gateway);
    const ids = await Promise.all(Array.from({ length: MAX_OPEN_VALIDATIONS }, () => draftOf(place)));
    for (const error of await Promise.all(ids.map((id) => beginFor(place, id)))) {
      expect(error).toMatchObject(STARTED);
    }
    return { place, busy: ids[0]! };
  }

  test('have a limit that does not affect another organization', async () => {
    const { place } = await busyOrganization();
    const ids = [await draftOf(place), await draftOf(place)];
    for (const error of await Promise.all(ids.map((id) => beginFor(place, id)))) {
      expect(error).toMatchObject(REFUSED);
    }
    const { organizationId, workspaceId } = place;
    const endpoint = await endpointOf(ids[0]!);
    await expect(idle().startActivation({ endpoint, workspaceId, gone: never })).rejects.toMatchObject(
      REFUSED,
    );
    const other = await addOrganization(scene.gateway);
    expect(await beginFor(other, await draftOf(other))).toMatchObject(STARTED);
    const { rows } = await scene.gateway.database.query(
      `select count(*)::int n from audit_log where action = 'validatePrivateEndpoint' and organization_id = $1`,
      [organizationId],
    );
    expect(rows).toEqual([{ n: MAX_OPEN_VALIDATIONS }]);
  });

  test('may be joined at the limit, and free a place when they end', async () => {
    const { place, busy } = await busyOrganization();
    expect(await beginFor(place, busy)).toMatchObject(STARTED);
    await scene.gateway.database.query(
      `update private_endpoint_validations set created_at = now() - interval '131 seconds' where endpoint_id = $1`,
      [busy],
    );
    const next = await draftOf(place);
    expect(await beginFor(place, next)).toMatchObject(STARTED);
    expect(await beginFor(place, await draftOf(place))).toMatchObject(REFUSED);
  });
});
