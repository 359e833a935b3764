import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createValidationStore } from '../../../../db/endpoints/validation-store.ts';
import type { Check } from '../../../../domain/endpoints/validation.ts';
import {
  endValidation,
  validateEndpoint,
} from '../../../../services/endpoints/validation/validate-endpoint.ts';
import { addWorkspace } from '../../../support/accounts.ts';
import { ALL_PASSED, failsAt, startValidationScene, type ValidationScene } from './validation-scene.ts';

let scene: ValidationScene;

beforeAll(async () => {
  scene = await startValidationScene();
});

afterAll(() => scene.close());

beforeEach(() => scene.server.reset());

describe('a run that activates', () => {
  test('makes the draft active and writes an audit row by the system', async () => {
    const endpoint = await scene.newEndpoint();
    expect(await scene.run(await scene.begin(endpoint, { activates: true }))).toBe(true);
    expect(await scene.statusOf(endpoint)).toBe('active');
    const { rows } = await scene.gateway.database.query(
      'select action, is_system from audit_log where target = $1',
      [`private-endpoints/${endpoint}`],
    );
    expect(rows).toEqual([{ action: 'activatePrivateEndpoint', is_system: true }]);
  });

  test('leaves the draft when a check fails', async () => {
    const endpoint = await scene.newEndpoint();
    scene.server.model = 'other';
    expect(await scene.run(await scene.begin(endpoint, { activates: true }))).toBe(false);
    expect(await scene.statusOf(endpoint)).toBe('draft');
  });

  test.each([
    ['its model', `upstream_model_id = 'another'`],
    ['its address', `base_url = 'https://another.example/v1'`],
    ['its parameters', `declared_parameters = '{seed}'`],
    ['its region', `declared_region = 'us'`],
    ['its retention', `declared_zdr = true`],
  ])('leaves a draft that was changed meanwhile in %s', async (_, change) => {
    const endpoint = await scene.newEndpoint();
    scene.meanwhile(() => scene.edit(endpoint, change));
    const id = await scene.begin(endpoint, { activates: true });
    expect(await scene.run(id)).toBe(true);
    expect(await scene.statusOf(endpoint)).toBe('draft');
    expect((await scene.stored(id)).checks).toEqual(ALL_PASSED);
  });

  test('activates a draft whose prices were changed meanwhile', async () => {
    const endpoint = await scene.newEndpoint();
    scene.meanwhile(() => scene.edit(endpoint, `pricing = '{"prompt":"1"}'`));
    await scene.run(await scene.begin(endpoint, { activates: true }));
    expect(await scene.statusOf(endpoint)).toBe('active');
  });

  test.each([
    ['disabled', `status = 'disabled'`],
    ['deleted', 'deleted_at = now()'],
  ])('does not revive an endpoint that was %s meanwhile', async (_, change) => {
    const endpoint = await scene.newEndpoint();
    scene.meanwhile(() => scene.edit(endpoint, change));
    await scene.run(await scene.begin(endpoint, { activates: true }));
    expect(await scene.statusOf(endpoint)).not.toBe('active');
  });
});

describe('a validation run', () => {
  test('makes no call when the configuration has changed since it began', async () => {
    const endpoint = await scene.newEndpoint();
    const id = await scene.begin(endpoint);
    await scene.edit(endpoint, `upstream_model_id = 'another'`);
    expect(await scene.run(id)).toBe(false);
    expect((await scene.stored(id)).checks).toEqual(
      failsAt('base_url_allowed', { reason: 'validation_stale' }),
    );
    expect(scene.server.received).toEqual([]);
  });

  test('makes no call when its endpoint is deleted', async () => {
    const endpoint = await scene.newEndpoint();
    const id = await scene.begin(endpoint);
    await scene.edit(endpoint, 'deleted_at = now()');
    expect(await scene.run(id)).toBe(false);
    expect((await scene.stored(id)).checks).toEqual(
      failsAt('base_url_allowed', { reason: 'endpoint_not_found' }),
    );
  });

  test('makes no further calls once it has ended', async () => {
    const id = await scene.begin(await scene.newEndpoint());
    expect([await scene.run(id), await scene.run(id)]).toEqual([true, true]);
    expect(scene.server.received).toHaveLength(2);
  });

  test('keeps the result it got when it was ended during a call', async () => {
    const id = await scene.begin(await scene.newEndpoint());
    scene.meanwhile(() => endValidation(scene.deps.validations, id, true));
    await expect(scene.run(id)).rejects.toThrow('the validation has ended');
    expect(await scene.stored(id)).toMatchObject({
      state: 'failed',
      checks: failsAt('model_answers', { reason: 'interrupted' }),
    });
    expect(scene.server.received).toHaveLength(1);
  });

  test('stores no result of a call that was cut off when the process stops', async () => {
    const id = await scene.begin(await scene.newEndpoint());
    const stopping = new AbortController();
    scene.server.faults.stream = () => stopping.abort();
    const checks = validateEndpoint(scene.deps.validations, id, stopping.signal);
    await expect(checks).rejects.toMatchObject({ code: 'aborted' });
    expect(await scene.stored(id)).toMatchObject({
      state: 'running',
      checks: failsAt('stream_ok', { reason: 'interrupted' }),
    });
  });

  test('makes no call when it was withdrawn', async () => {
    const id = await scene.begin(await scene.newEndpoint());
    await createValidationStore(scene.deps.knex).withdraw(id);
    expect(await scene.run(id)).toBe(false);
    expect(scene.server.received).toEqual([]);
  });

  test('stores "interrupted" before each call', async () => {
    const endpoint = await scene.newEndpoint({ declared_parameters: ['seed'] });
    const id = await scene.begin(endpoint);
    const noted: Check[][] = [];
    const look = async () => void noted.push((await scene.stored(id)).checks);
    scene.meanwhile(look);
    scene.server.faults.parameters = async (response, received) => {
      await look();
      await scene.server.behave(response, received);
    };
    expect(await scene.run(id)).toBe(true);
    expect(noted).toEqual([
      failsAt('model_answers', { reason: 'interrupted' }),
      failsAt('parameters_ok', { reason: 'interrupted' }),
    ]);
  });
});

describe('concurrent runs', () => {
  test('share one run for the same configuration and workspace', async () => {
    const endpoint = await scene.newEndpoint();
    const ids = await Promise.all([scene.begin(endpoint), scene.begin(endpoint), scene.begin(endpoint)]);
    expect(new Set(ids).size).toBe(1);
  });

  test('stay apart for two workspaces or two configurations', async () => {
    const endpoint = await scene.newEndpoint();
    const { workspaceId } = await addWorkspace(scene.gateway);
    const ids = [await scene.begin(endpoint), await scene.begin(endpoint, { workspaceId })];
    await scene.edit(endpoint, `upstream_model_id = 'another'`);
    ids.push(await scene.begin(endpoint));
    expect(new Set(ids).size).toBe(3);
  });
});

describe('an old run', () => {
  const age = (id: string, interval: string): Promise<unknown> =>
    scene.gateway.database.query(
      `update private_endpoint_validations set created_at = created_at - interval '${interval}',
         finished_at = finished_at - interval '${interval}' where id = $1`,
      [id],
    );

  test('counts as failed 130 seconds after its start and makes room for the next', async () => {
    const endpoint = await scene.newEndpoint();
    const id = await scene.begin(endpoint);
    const store = createValidationStore(scene.deps.knex);
    await age(id, '129 seconds');
    expect((await scene.stored(id)).state).toBe('running');
    await age(id, '2 seconds');
    expect(await scene.stored(id)).toMatchObject({ state: 'failed', finishedAt: expect.any(Date) });
    expect(await store.finish(id, 'passed', [])).toBe(false);
    const next = await scene.begin(endpoint);
    expect(next).not.toBe(id);
    expect((await store.findLatest(endpoint))!.id).toBe(next);
  });

  test('disappears 30 days after its end at the next validation', async () => {
    const endpoint = await scene.newEndpoint();
    const ids = [await scene.begin(endpoint)];
    await scene.run(ids[0]!);
    ids.push(await scene.begin(endpoint));
    await scene.run(ids[1]!);
    await age(ids[0]!, '30 days');
    await age(ids[1]!, '29 days');
    await scene.begin(endpoint);
    const store = createValidationStore(scene.deps.knex);
    expect(await store.find(ids[0]!)).toBeNull();
    expect(await store.find(ids[1]!)).not.toBeNull();
  });
});
