import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorStatusesOf, type OperationDefinition } from '../../../contract/operation.ts';
import { operations } from '../../../contract/operations.ts';
import { HOP_MARKS, type ServedApi, serveApi } from '../support/serve-api.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

function call({ method, base, path, access }: OperationDefinition, hops: string): Promise<Response> {
  const key = `Bearer ${access === 'management' ? 'management-key' : 'regular-key'}`;
  const headers = { authorization: key, 'sluice-authorization': key, 'sluice-hops': hops };
  const target = path.replaceAll(/\{\w+…?\}/g, crypto.randomUUID());
  const url = `${api.origin}${base === 'root' ? '' : '/api/v1'}${target}`;
  return fetch(url, { method: method.toUpperCase(), headers });
}

const all: OperationDefinition[] = Object.values(operations);
const [own, before] = HOP_MARKS;

describe.each(all.filter(({ callsOut }) => callsOut).map((operation) => [operation.id, operation] as const))(
  'the operation %s',
  (_id, operation) => {
    test('answers 508 to a request that passed the gateway three times', async () => {
      const answer = await call(operation, [own, 'another', before, own].join(', '));
      expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([508, 'false']);
      const text = await answer.text();
      expect(text).toContain('Loop detected');
      expect(text).toContain('"metadata":{"reason":"loop_detected","retryable":false}');
      expect(errorStatusesOf(operation)).toContain(508);
    });

    test('admits a request that passed the gateway twice', async () => {
      const answer = await call(operation, [own, before].join(', '));
      expect(answer.status).not.toBe(508);
    });
  },
);

test('GET /key ignores the hops header because it calls no upstream', async () => {
  const { getCurrentKey } = operations;
  expect((await call(getCurrentKey, [own, own, own].join(', '))).status).not.toBe(508);
});
