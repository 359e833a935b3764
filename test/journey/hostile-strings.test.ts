import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent, type Dispatcher } from 'undici';
import type { OperationDefinition } from '../../contract/operation.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import { operations } from '../../contract/operations.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { createContractStrings, leafMutants, type Mutant } from '../support/contract-strings.ts';
import { CONFIGS, draftOf, makeDestination } from '../support/destinations.ts';
import { addGroup, addPerson, makeMapping } from '../support/directory.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { SMALL } from '../support/images.ts';
import { makeIntern } from '../support/interns.ts';
import { addCredential, addDraft } from '../support/own-resources.ts';
import { makePreset } from '../support/presets.ts';
import { makeScimToken } from '../support/scim.ts';

/** Strings that a text column, an index, a URL, a header or a log cannot hold. */
const HOSTILE = {
  NUL: 'a\0b',
  'a lone surrogate': 'a\ud800b',
  // An index takes texts of up to 2.7 kB after compression, which does nothing to these.
  '50 kB': randomBytes(25_000).toString('hex'),
};

const ALL: OperationDefinition[] = Object.values(operations);
const AT_ONCE = 8;
/** Small pixels that match the aspect ratio of the examples. */
const WIDE = '256x144';
const document = buildOpenApi();
const strings = createContractStrings(document);

/** Costs half as much as `fetch` for these thousands of requests. */
const client = new Agent({ connections: AT_ONCE });

let gateway: Gateway;
let scimToken: string;
/** The values of path parameters, by the first folder of the path. They name records that exist. */
let known: Record<string, Record<string, string>>;

beforeAll(async () => {
  gateway = await startGateway({
    bootstrap: { entitlements: ['private_endpoints', 'interns'] },
  });
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const post = async (path: string, body: object): Promise<string> => {
    const response = await manager.call('POST', path, { body });
    return ((await response.json()) as { data: { id: string } }).data.id;
  };
  ({ token: scimToken } = await makeScimToken(gateway));
  const intern = await makeIntern(createCaller(gateway.origin, gateway.apiKey));
  const groupId = await addGroup(gateway);
  const workspaceId = await post('/workspaces', { name: 'Hostile', slug: 'hostile' });
  await makePreset(manager, 'hostile', { model: 'local/echo-1' });
  await manager.call('POST', '/end-users', { body: { user: 'hostile' } });
  known = {
    keys: { hash: (await addKey(gateway)).hash },
    workspaces: { id: workspaceId, interval: 'daily' },
    presets: { slug: 'hostile', version: '1' },
    'end-users': { user: 'hostile' },
    classifiers: { id: await post('/classifiers', { name: 'Hostile' }) },
    observability: { id: (await makeDestination(manager)).id },
    'private-endpoints': { id: await addDraft(gateway, { base_url: 'http://127.0.0.1:1/v1' }) },
    byok: { id: await addCredential(gateway, 'hostile-key', { provider_slug: 'local' }) },
    interns: { internId: intern.id },
    vault: { internId: intern.id, name: 'hostile' },
    'scim/v2/Users': { id: await addPerson(gateway) },
    'scim/v2/Groups': { id: groupId },
    'scim/group-mappings': { id: (await makeMapping(manager, groupId, workspaceId)).id },
    'provider-callbacks': { provider: 'replicate' },
  };
});

afterAll(async () => {
  await client.close();
  await gateway.close();
});

interface Attack {
  place: string;
  path: string;
  query?: string;
  body?: unknown;
}

/** Sends attacks, some at once. Returns those that ended in a 5xx or in no answer. */
async function failuresOf(operation: OperationDefinition, attacks: Iterable<Attack>): Promise<string[]> {
  const failures: string[] = [];
  const waiting = attacks[Symbol.iterator]();
  const sendInTurn = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      const status = await send(operation, next.value);
      // A 501 refuses an option of SCIM that is not offered, whatever its value.
      if (typeof status !== 'number' || (status >= 500 && status !== 501))
        failures.push(`${next.value.place}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendInTurn));
  return failures;
}

async function send(
  operation: OperationDefinition,
  { path, query = '', body }: Attack,
): Promise<number | string> {
  const { method, access, base, credential, body: described } = operation;
  const key =
    access === 'scim' ? scimToken : access === 'management' ? gateway.managementKey : gateway.apiKey;
  const type = access === 'scim' ? 'application/scim+json' : 'application/json';
  try {
    const response = await client.request({
      origin: gateway.origin,
      path: `${base === 'root' ? '' : '/api/v1'}${path}${query}`,
      method: method.toUpperCase() as Dispatcher.HttpMethod,
      headers: {
        [credential ?? 'authorization']: `Bearer ${key}`,
        ...(described === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.body.arrayBuffer();
    return response.statusCode;
  } catch (error) {
    return String(error);
  }
}

/** The path with values of its parameters; `hostile` replaces that of one. */
function pathOf({ path, method }: OperationDefinition, hostile: Record<string, string> = {}): string {
  const folder = Object.keys(known).find((name) => `${path}/`.startsWith(`/${name}/`));
  const values = folder === undefined ? {} : known[folder]!;
  return path.replaceAll(/\{(\w+)…?\}/g, (_whole, name: string) => {
    const usual = method === 'delete' ? randomUUID() : (values[name] ?? randomUUID());
    return hostile[name] ?? usual;
  });
}

/** Percent-encodes a string. A lone surrogate becomes the bytes that stand for it in broken encoders. */
function encoded(string: string): string {
  return string.isWellFormed() ? encodeURIComponent(string) : string.replace('\ud800', '%ED%A0%80');
}

describe.each(Object.entries(HOSTILE))('%s', (_what, string) => {
  test('causes no 5xx in any path or query', async () => {
    const failures: Record<string, string[]> = {};
    for (const operation of ALL) {
      const params = Object.keys(operation.params?.shape ?? {}).map((name) => ({
        place: name,
        path: pathOf(operation, { [name]: encoded(string) }),
      }));
      const names = [...Object.keys(operation.query?.shape ?? {}), encoded(string)];
      const queries = names.map((name) => ({
        place: `?${name.slice(0, 20)}`,
        path: pathOf(operation),
        query: `?${name}=${encoded(string)}`,
      }));
      const found = await failuresOf(operation, [...params, ...queries]);
      if (found.length > 0) failures[operation.id] = found;
    }
    expect(failures).toEqual({});
  });

  test('causes no 5xx in any text or name of any body', async () => {
    const failures: Record<string, string[]> = {};
    for (const operation of ALL) {
      if (operation.body === undefined) continue;
      const { schema, examples } = bodyOf(operation);
      const mutants: Mutant[] = [
        ...strings.mutants(schema, examples[0], string),
        ...examples.flatMap((example) => [...leafMutants(example, string)]),
      ];
      const attacks = mutants.map(([place, body]) => ({ place, path: pathOf(operation), body }));
      const found = await failuresOf(operation, attacks);
      if (found.length > 0) failures[operation.id] = found;
    }
    expect(failures).toEqual({});
  });
});

test('the smaller pictures are made, so that hostile strings beside them reach their models', async () => {
  for (const operation of ALL.filter(asksForPictures)) {
    for (const body of bodyOf(operation).examples)
      expect(await send(operation, { place: '', path: pathOf(operation), body })).toBe(200);
  }
});

test('a text of 1 MB causes no 5xx in any body', async () => {
  const failures: string[] = [];
  for (const operation of ALL) {
    if (operation.body === undefined) continue;
    const { schema, examples } = bodyOf(operation);
    const [first] = strings.mutants(schema, examples[0], 'x'.repeat(1_000_000));
    const [place, body] = first!;
    failures.push(...(await failuresOf(operation, [{ place, path: pathOf(operation), body }])));
  }
  expect(failures).toEqual([]);
});

interface PublishedBody {
  schema: unknown;
  examples: unknown[];
}

function bodyOf(operation: OperationDefinition): PublishedBody {
  const { id } = operation;
  type Content = Record<string, { schema: unknown }>;
  type Published = { operationId?: string; requestBody?: { content: Content } };
  const paths = document['paths'] as Record<string, Record<string, Published>>;
  const published = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === id)!;
  const [content] = Object.values(published.requestBody!.content);
  const examples = Object.values(operation.body!.examples).map(({ value }) =>
    asksForPictures(operation) ? smaller(value as object) : value,
  );
  return { schema: content!.schema, examples: [...examples, ...moreExamples(id)] };
}

function asksForPictures({ id }: OperationDefinition): boolean {
  return id.startsWith('createImage');
}

/** Asks for small pictures in place of those of the examples, which take half of the suite's time to draw. */
function smaller(example: object): object {
  return { ...example, size: 'aspect_ratio' in example ? WIDE : SMALL };
}

/** Bodies whose free-form parts the examples of the contract show for one kind only. */
function moreExamples(id: string): unknown[] {
  if (!/^(create|preview)ObservabilityDestination$/.test(id)) return [];
  const headers = { 'x-team': 'search' };
  return (Object.keys(CONFIGS) as (keyof typeof CONFIGS)[]).map((type) =>
    draftOf(type, { config: { ...CONFIGS[type], headers } }),
  );
}
