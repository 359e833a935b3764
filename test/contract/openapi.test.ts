import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { buildOpenApi } from '../../contract/openapi.ts';
import {
  errorStatusesOf,
  type OperationDefinition,
  publishedPath,
  takesSession,
} from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { webhookEvents } from '../../contract/webhook-events.ts';

interface Described {
  operationId: string;
  description: string;
  security?: unknown[];
  requestBody?: unknown;
  responses: Record<string, { $ref?: string }>;
}

const document = structuredClone(buildOpenApi());
const paths = document['paths'] as Record<string, Record<string, Described>>;
const entries: [string, OperationDefinition][] = Object.entries(operations);

describe('the OpenAPI document', () => {
  test('conforms to OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test('equals docs/openapi.json; run `npm run docs` after changing the contract', async () => {
    const committed = await readFile(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('refers only to components that exist', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer = ''] of references) {
      const found = pointer.split('/').reduce<unknown>((node, name) => (node as never)[name], document);
      expect({ pointer, found: typeof found }).toEqual({ pointer, found: 'object' });
    }
  });
});

describe.each(Object.entries(webhookEvents))('the event %s', (type, { schema, example }) => {
  test('publishes an example that its schema accepts unchanged', () => {
    expect(schema.parse(example)).toEqual(example);
    expect(example).toMatchObject({ type });
  });

  test('appears with its example among the published webhooks', () => {
    const { post } = (document['webhooks'] as Record<string, { post: Described }>)[type]!;
    expect(post.operationId).toBe(`on.${type}`);
    expect(JSON.stringify(post.requestBody)).toContain(JSON.stringify(example));
  });

  test('has a section in docs/webhooks.md that shows the same example', async () => {
    const page = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split(`\n### \`${type}\`\n`);
    const [, shown = 'null'] = /^```json\n(.*?)^```$/ms.exec(section.split(/\n##/)[0]!) ?? [];
    expect(JSON.parse(shown)).toEqual(example);
  });
});

describe.each(entries)('the operation %s', (name, operation) => {
  const described = paths[publishedPath(operation)]?.[operation.method] as Described;

  test('has its name as id and as operationId', () => {
    expect(operation.id).toBe(name);
    expect(described.operationId).toBe(name);
  });

  test('has a parameter for each placeholder of its path', () => {
    const placeholders = [...operation.path.matchAll(/\{(\w+)…?\}/g)].map((match) => match[1]);
    expect(Object.keys(operation.params?.shape ?? {})).toEqual(placeholders);
  });

  test('documents every status it may answer with', () => {
    const expected = [...Object.keys(operation.responses), ...errorStatusesOf(operation).map(String)];
    expect(Object.keys(described.responses).toSorted()).toEqual([...new Set(expected)].toSorted());
  });

  test('documents the security scheme that it requires', () => {
    const isOpen = operation.access === 'public' || operation.access === 'signed';
    const scheme = operation.credential === undefined ? operation.access : 'sluice';
    const keys = takesSession(operation) ? [{ bearer: [] }, { apiKey: [] }, { session: [] }] : undefined;
    const own = scheme === 'scim' || scheme === 'sluice' ? [{ [scheme]: [] }] : keys;
    expect(described.security).toEqual(isOpen ? [] : own);
  });

  test('shows only examples that its schemas accept unchanged', () => {
    for (const { value } of Object.values(operation.body?.examples ?? {})) {
      expect(operation.body?.schema.parse(value)).toEqual(value);
    }
    for (const { schema, example } of Object.values(operation.responses)) {
      if (schema !== undefined) expect(schema.parse(example)).toEqual(example);
    }
  });
});
