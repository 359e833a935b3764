import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClassifierStore } from '../../db/insights/classifier-store.ts';
import { createDatabase } from '../support/open-database.ts';
import { newGenerationId, newUuid } from '../../domain/ids.ts';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { analyze, recordGenerations } from '../support/analytics.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { openTransaction } from '../support/handles.ts';

interface WireClassifier {
  id: string;
  workspace_id: string;
  name: string;
  is_active: boolean;
}

let gateway: Gateway;
let manager: Caller;
let foreigner: Caller;
let near: Place;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  const foreign = await addOrganization(gateway);
  near = await addWorkspace(gateway);
  const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
  foreigner = createCaller(gateway.origin, token);
});

afterAll(() => gateway.close());

async function dataOf<Data>(response: Response, status = 200): Promise<Data> {
  const text = await response.text();
  expect([response.status, text]).toEqual([status, expect.any(String)]);
  return (JSON.parse(text) as { data: Data }).data;
}

async function create(body: object = {}): Promise<WireClassifier> {
  const answer = await manager.call('POST', '/classifiers', { body: { name: 'Topics', ...body } });
  return dataOf<WireClassifier>(answer, 201);
}

async function tag(
  id: string,
  tags: [generationId: string, dimension: string, value: string][],
): Promise<Response> {
  const body = {
    tags: tags.map(([generation_id, dimension, value]) => ({ generation_id, dimension, value })),
  };
  return manager.call('POST', `/classifiers/${id}/tags`, { body });
}

describe('a classifier', () => {
  test('belongs to the default workspace at first, can be read and changed, and leaves audit entries', async () => {
    const made = await create({ description: 'What it is about' });
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workspace_id: gateway.workspaceId,
      name: 'Topics',
      description: 'What it is about',
      is_active: true,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const path = `/classifiers/${made.id}`;
    expect(await dataOf(await manager.call('GET', path))).toEqual(made);
    const changes = { name: 'Subjects', description: null, is_active: false };
    const changed = await dataOf<object>(await manager.call('PATCH', path, { body: changes }));
    expect(changed).toEqual({ ...made, ...changes, updated_at: expect.any(String) });
    expect(await dataOf(await manager.call('GET', path))).toEqual(changed);
    const rows = await auditRows(gateway, `classifiers/${made.id}`);
    expect(rows.map(({ action }) => action)).toEqual(['createClassifier', 'updateClassifier']);
  });

  test('exists once for each idempotency key', async () => {
    const headers = { 'idempotency-key': newUuid() };
    const post = (name: string) => manager.call('POST', '/classifiers', { body: { name }, headers });
    const first = await dataOf<WireClassifier>(await post('Once'), 201);
    const again = await post('Once');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await dataOf(again, 201)).toEqual(first);
    expect((await post('Twice')).status).toBe(422);
  });

  test('exists in each of two workspaces under one idempotency key', async () => {
    const headers = { 'idempotency-key': newUuid() };
    const { workspaceId: another } = await addWorkspace(gateway);
    for (const workspaceId of [gateway.workspaceId, another]) {
      const body = { name: 'Each', workspace_id: workspaceId };
      const answer = await manager.call('POST', '/classifiers', { body, headers });
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      expect(await dataOf(answer, 201)).toMatchObject({ workspace_id: workspaceId });
    }
  });

  test('leaves the order of earlier ones when it is created between pages', async () => {
    const inNear = { workspace_id: near.workspaceId };
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await create(inNear)).id);
    const seen: string[] = [];
    for (let offset = 0; offset < 5; offset += 2) {
      const query = `workspace_id=${near.workspaceId}&limit=2&offset=${offset}`;
      const page = await dataOf<WireClassifier[]>(await manager.call('GET', `/classifiers?${query}`));
      seen.push(...page.map(({ id }) => id));
      await create(inNear);
    }
    expect(seen.slice(0, 5)).toEqual(made);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('follows those created before it even if its transaction began earlier', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
    const transaction = await openTransaction(database.knex);
    try {
      await transaction.handle.raw('select now()');
      const { id: earlier } = await create({ workspace_id: workspaceId });
      const facts = { workspaceId, name: 'Later', description: null, isActive: true };
      const { id: later } = await createClassifierStore(transaction.handle).insert(facts);
      await transaction.commit();
      const listed = await manager.call('GET', `/classifiers?workspace_id=${workspaceId}`);
      expect((await dataOf<WireClassifier[]>(listed)).map(({ id }) => id)).toEqual([earlier, later]);
    } finally {
      await database.close();
    }
  });

  test('answers another organization like an unknown one', async () => {
    const { id } = await create();
    const body = { name: 'Mine' };
    const tags = { tags: [{ generation_id: newGenerationId(Date.now()), dimension: 'a', value: 'b' }] };
    for (const [method, suffix, sent] of [
      ['GET', '', undefined],
      ['PATCH', '', body],
      ['POST', '/tags', tags],
    ] as const) {
      const theirs = await foreigner.call(method, `/classifiers/${id}${suffix}`, { body: sent });
      const nobodys = await foreigner.call(method, `/classifiers/${newUuid()}${suffix}`, { body: sent });
      const malformed = await foreigner.call(method, `/classifiers/none${suffix}`, { body: sent });
      const expected = await visibleParts(nobodys);
      expect(expected.status).toBe(404);
      expect(await visibleParts(theirs)).toEqual(expected);
      expect(await visibleParts(malformed)).toEqual(expected);
    }
    const query = { metrics: ['request_count'], classifier_dimensions: { classifier_id: id } };
    const refused = await foreigner.call('POST', '/analytics/query', { body: query });
    const unknown = { ...query, classifier_dimensions: { classifier_id: newUuid() } };
    const expected = await visibleParts(await foreigner.call('POST', '/analytics/query', { body: unknown }));
    expect(await visibleParts(refused)).toEqual(expected);
    const inTheirs = { ...body, workspace_id: gateway.workspaceId };
    expect((await foreigner.call('POST', '/classifiers', { body: inTheirs })).status).toBe(404);
  });

  test('refuses an empty update, a name of 101 characters and invalid dimension names', async () => {
    const { id } = await create();
    const nothing = await errorOf(await manager.call('PATCH', `/classifiers/${id}`, { body: {} }));
    expect([nothing.code, nothing.message]).toEqual([400, 'No update fields provided']);
    expect((await manager.call('POST', '/classifiers', { body: { name: 'x'.repeat(101) } })).status).toBe(
      400,
    );
    for (const dimension of ['', 'Topic', 'a b', '__proto__', 'date__day', 'x'.repeat(65), 'a"b']) {
      expect((await tag(id, [[newGenerationId(1), dimension, 'x']])).status).toBe(400);
    }
  });
});

describe('tags of generations', () => {
  const query = {
    metrics: ['request_count'],
    time_range: { start: '2026-05-01T00:00:00Z', end: '2026-06-01T00:00:00Z' },
  };
  let classifier: WireClassifier;
  let ids: string[];

  beforeAll(async () => {
    classifier = await create();
    const facts = [1, 2, 3].map((day) => ({
      id: newGenerationId(Date.parse(`2026-05-0${day}T12:00:00Z`)),
      settledAt: new Date(`2026-05-0${day}T12:00:01Z`),
    }));
    const elsewhere = { ...near, ...facts[0], id: newGenerationId(Date.parse('2026-05-01T12:00:00Z')) };
    ids = (await recordGenerations(gateway, [...facts, elsewhere])).map(({ id }) => id);
    const [first = '', second = ''] = ids;
    const added = await tag(classifier.id, [
      [first, 'topic', 'billing'],
      [first, 'topic', 'refunds'],
      [first, 'mood', 'angry'],
      [second, 'topic', 'billing'],
    ]);
    expect(await dataOf(added)).toEqual({ added: 4 });
  });

  const rowsOf = async (more: object): Promise<unknown> =>
    (await analyze(manager, { ...query, ...more })).data;
  const groups = (dimension_names: string[], include_nulls = false) => ({
    classifier_dimensions: { classifier_id: classifier.id, dimension_names, include_nulls },
  });
  const filters = (...some: object[]) => ({
    classifier_filters: { classifier_id: classifier.id, filters: some },
  });

  test('exist once even if they are sent repeatedly', async () => {
    const again = await tag(classifier.id, [
      [ids[0]!, 'topic', 'billing'],
      [ids[0]!, 'topic', 'billing'],
      [ids[2]!, 'topic', 'none'],
    ]);
    expect(await dataOf(again)).toEqual({ added: 1 });
    await gateway.database.query(`delete from classifier_tags where value = 'none'`);
  });

  test('fail together if one generation is unknown or of another workspace', async () => {
    const answer = await tag(classifier.id, [
      [ids[2]!, 'topic', 'x'],
      [newGenerationId(Date.parse('2026-05-01T00:00:00Z')), 'topic', 'x'],
      [ids[3]!, 'topic', 'x'],
      ['gen-none', 'topic', 'x'],
    ]);
    const { code, metadata } = await errorOf(answer);
    const message = 'is no generation of the workspace of the classifier';
    expect([code, metadata.issues]).toEqual([
      400,
      [1, 2, 3].map((n) => ({ path: `body.tags.${n}.generation_id`, message })),
    ]);
    expect(await rowsOf(filters({ field: 'topic', operator: 'eq', value: 'x' }))).toEqual([
      { request_count: 0 },
    ]);
  });

  test('become columns by dimension name, or rows of pairs without names', async () => {
    expect(await rowsOf(groups(['topic']))).toEqual([
      { topic: 'billing', request_count: 2 },
      { topic: 'refunds', request_count: 1 },
    ]);
    expect(await rowsOf(groups(['topic', 'mood'], true))).toEqual([
      { topic: 'billing', mood: 'angry', request_count: 1 },
      { topic: 'billing', mood: null, request_count: 1 },
      { topic: 'refunds', mood: 'angry', request_count: 1 },
      { topic: null, mood: null, request_count: 1 },
    ]);
    expect(await rowsOf(groups([]))).toEqual([
      { clf_dimension_name: 'topic', clf_dimension_value: 'billing', request_count: 2 },
      { clf_dimension_name: 'mood', clf_dimension_value: 'angry', request_count: 1 },
      { clf_dimension_name: 'topic', clf_dimension_value: 'refunds', request_count: 1 },
    ]);
  });

  test('become columns that order_by accepts', async () => {
    const order = (field: string, direction: string) => ({ order_by: { field, direction } });
    expect(await rowsOf({ ...groups(['topic', 'mood'], true), ...order('mood', 'asc') })).toMatchObject([
      { topic: 'billing', mood: 'angry' },
      { topic: 'refunds', mood: 'angry' },
      { topic: 'billing', mood: null },
      { topic: null, mood: null },
    ]);
    expect(await rowsOf({ ...groups([]), ...order('clf_dimension_value', 'desc') })).toMatchObject([
      { clf_dimension_value: 'refunds' },
      { clf_dimension_value: 'billing' },
      { clf_dimension_value: 'angry' },
    ]);
  });

  test('filter generations with and without grouping', async () => {
    const one = (operator: string, value: unknown) => filters({ field: 'topic', operator, value });
    expect(await rowsOf(one('eq', 'refunds'))).toEqual([{ request_count: 1 }]);
    expect(await rowsOf(one('in', ['refunds', 'billing']))).toEqual([{ request_count: 2 }]);
    expect(await rowsOf(one('neq', 'refunds'))).toEqual([{ request_count: 1 }]);
    expect(await rowsOf({ ...one('not_in', ['billing']), ...groups(['topic']) })).toEqual([]);
    expect(await rowsOf({ ...one('eq', 'refunds'), ...groups(['topic']), dimensions: ['model'] })).toEqual([
      { model: 'a/b', model_label: 'a/b', topic: 'billing', request_count: 1 },
      { model: 'a/b', model_label: 'a/b', topic: 'refunds', request_count: 1 },
    ]);
  });

  test('answer 400 for an inactive classifier', async () => {
    const { id } = await create({ is_active: false });
    const body = { ...query, ...filters({ field: 'topic', operator: 'eq', value: 'x' }) };
    body.classifier_filters.classifier_id = id;
    const { code, metadata } = await errorOf(await manager.call('POST', '/analytics/query', { body }));
    const issues = [{ path: 'body.classifier_filters.classifier_id', message: 'is no active classifier' }];
    expect([code, metadata.issues]).toEqual([400, issues]);
  });

  test('take effect once for each idempotency key', async () => {
    const headers = { 'idempotency-key': newUuid() };
    const body = { tags: [{ generation_id: ids[2], dimension: 'later', value: 'x' }] };
    const post = () => manager.call('POST', `/classifiers/${classifier.id}/tags`, { body, headers });
    expect(await dataOf(await post())).toEqual({ added: 1 });
    expect(await dataOf(await post())).toEqual({ added: 1 });
    const rows = await auditRows(gateway, `classifiers/${classifier.id}`);
    expect(rows.filter(({ action }) => action === 'addClassifierTags')).toHaveLength(3);
  });
});
