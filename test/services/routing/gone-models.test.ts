import { beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../domain/provider-error.ts';
import { createGoneModels, type GoneModels } from '../../../services/routing/gone-models.ts';

const HOUR_MS = 3_600_000;
const facts = { code: 'not_found', status: 404, sent: true, retryable: false, publicMessage: 'No' } as const;
const gone = new ProviderError({ ...facts, isModelGone: true });
const endpoint = { id: 'a/x@p', providerSlug: 'p' };

let nowMs: number;
let logged: object[];
let stored: string[];
let fails: boolean;
let notes: GoneModels;

beforeEach(() => {
  [nowMs, logged, stored, fails] = [0, [], [], false];
  notes = createGoneModels({
    store: {
      async note(id) {
        if (fails) throw new Error('no database');
        stored.push(id);
      },
    },
    logger: { warn: (line: object) => void logged.push(line) },
    now: () => nowMs,
  });
});

describe('the notes about endpoints without their model', () => {
  test('log and store each endpoint once an hour', () => {
    notes.note(endpoint, gone);
    notes.note(endpoint, gone);
    notes.note({ ...endpoint, id: 'a/y@p' }, gone);
    nowMs = HOUR_MS;
    notes.note(endpoint, gone);
    expect(stored).toEqual(['a/x@p', 'a/y@p', 'a/x@p']);
    expect(logged[0]).toEqual({ endpoint: 'a/x@p', provider: 'p', error: 'not_found (404)' });
    expect(logged).toHaveLength(3);
  });

  test('ignore other errors', () => {
    notes.note(endpoint, new ProviderError(facts));
    expect([logged, stored]).toEqual([[], []]);
  });

  test('store an endpoint at the next error when Postgres was away', async () => {
    fails = true;
    notes.note(endpoint, gone);
    // Let the failed write be noticed.
    await Promise.resolve().then(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    fails = false;
    notes.note(endpoint, gone);
    expect(stored).toEqual(['a/x@p']);
  });
});
