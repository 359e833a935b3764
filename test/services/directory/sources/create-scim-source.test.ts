import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createOutboundGuard, type OutboundGuard } from '../../../../platform/outbound-guard.ts';
import { createScimSource } from '../../../../services/directory/sources/scim/create-scim-source.ts';
import type { SourceReader } from '../../../../services/directory/sources/source-reader.ts';
import {
  type ScimSource,
  sendJson,
  type SourceGroup,
  startScimSource,
} from '../../../support/scim-source.ts';

const MIB = 1024 * 1024;

let guard: OutboundGuard;
let source: ScimSource;
let reader: SourceReader;
const { signal } = new AbortController();

beforeAll(async () => {
  guard = createOutboundGuard({ allow: ['127.0.0.0/8'] });
  source = await startScimSource();
  const { baseUrl, token } = source;
  const times = { requestMs: 20_000, retryMs: [1], longestWaitMs: 50 };
  reader = createScimSource({ guard, baseUrl, token, times });
});

beforeEach(() => {
  source.fault = undefined;
  source.calls.length = 0;
});

afterAll(async () => {
  await guard.close();
  await source.close();
});

describe('groups whose members are not in lists', () => {
  const groupOf = (n: number, members: number): SourceGroup => ({
    id: `g-${n}`,
    displayName: `Group ${n}`,
    members: Array.from({ length: members }, (_, member) => `id-${member}`),
  });

  beforeEach(() => {
    source.fault = (call, response) => {
      if (call.path !== '/Groups') return false;
      const from = Number(call.query.get('startIndex')) - 1;
      const heads = source.groups.map(({ id, displayName }) => ({ id, displayName }));
      sendJson(response, 200, { totalResults: heads.length, Resources: heads.slice(from) });
      return true;
    };
  });

  test('come in pages of five when each has 20,000 members', async () => {
    source.groups = Array.from({ length: 20 }, (_, n) => groupOf(n, 20_000));
    const ids: string[] = [];
    const sizes: number[] = [];
    while (ids.length < 20) {
      const page = await reader.readGroups({ startIndex: ids.length + 1, signal });
      expect(page.total).toBe(20);
      sizes.push(page.resources.length);
      ids.push(...page.resources.map(({ sourceId }) => sourceId));
      expect(page.resources.every(({ members }) => members.length === 20_000)).toBe(true);
    }
    expect(ids).toEqual(source.groups.map(({ id }) => id));
    expect(sizes).toEqual([5, 5, 5, 5]);
  });

  test('come in one page of 60 when each has three members', async () => {
    source.groups = Array.from({ length: 60 }, (_, n) => groupOf(n, 3));
    expect((await reader.readGroups({ startIndex: 1, signal })).resources).toHaveLength(60);
  });

  test('load one at a time when they are large', async () => {
    source.groups = [0, 1, 2].map((n) => groupOf(n, 3));
    source.groups[1]!['description'] = 'x'.repeat(9 * MIB);
    let others = 0;
    let most = 0;
    const lists = source.fault!;
    source.fault = (call, response) => {
      others += 1;
      most = Math.max(
        most,
        source.calls.filter(({ path }) => path === '/Groups/g-1').length === 2 ? others : 0,
      );
      response.on('close', () => (others -= 1));
      return lists(call, response);
    };
    const { resources, unreadable } = await reader.readGroups({ startIndex: 1, signal });
    expect([...resources, ...unreadable].map(({ sourceId }) => sourceId).toSorted()).toEqual([
      'g-0',
      'g-1',
      'g-2',
    ]);
    expect(source.calls.map(({ path }) => path).at(-1)).toBe('/Groups/g-1');
    expect(most).toBe(1);
  });
});

describe('a page that is larger than 64 MiB', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['announced', (response) => response.writeHead(200, { 'content-length': 64 * MIB + 1 }).flushHeaders()],
    [
      'sent without its length',
      (response) => {
        const piece = Buffer.alloc(MIB, ' ');
        response.writeHead(200);
        const write = (left: number): void => {
          if (left === 0) response.end();
          else response.write(piece, () => write(left - 1));
        };
        write(65);
      },
    ],
  ])('fails with source_too_large after one request when it is %s', async (_how, answer) => {
    source.fault = (_call, response) => {
      answer(response);
      return true;
    };
    await expect(reader.readPeople({ startIndex: 1, signal })).rejects.toMatchObject({
      reason: 'source_too_large',
    });
    expect(source.calls).toHaveLength(1);
  });
});
