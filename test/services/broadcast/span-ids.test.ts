import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '../../../domain/ledger/broadcast-facts.ts';
import type { SpanIds } from '../../../domain/broadcast/trace-id.ts';
import { spanIdsOf } from '../../../services/broadcast/span-ids.ts';

const GENERATION = { generationId: 'gen-1767225600123-AAAAAAAAAAAAAAAAAAAA', workspaceId: 'workspace-1' };
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const UUID = '0af76519-16cd-43dd-8448-eb211c80319c';

function idsFor(traceId: Json, workspaceId = GENERATION.workspaceId): SpanIds {
  return spanIdsOf({ ...GENERATION, workspaceId, facts: { trace: { trace_id: traceId } } });
}

const own = spanIdsOf({ ...GENERATION, facts: {} });

describe('the ids of a span', () => {
  test('keep their values across versions', () => {
    expect(own).toEqual({ traceId: '000adeffb2f419b14b72664871a7c64b', spanId: 'd49eae68d7ae7196' });
    expect(idsFor('order 66').traceId).toBe('2f36ef0bb58477928b3033606e2d8972');
  });

  test('have hex form, repeat for one generation and differ between generations', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (one, other, traceId) => {
        const facts = { trace: { trace_id: traceId } };
        const ids = spanIdsOf({ ...GENERATION, generationId: one, facts });
        expect(ids).toEqual(spanIdsOf({ ...GENERATION, generationId: one, facts }));
        expect(ids.traceId).toMatch(/^[0-9a-f]{32}$/);
        expect(ids.spanId).toMatch(/^[0-9a-f]{16}$/);
        const { spanId } = spanIdsOf({ ...GENERATION, generationId: other, facts });
        expect(spanId === ids.spanId).toBe(one === other);
      }),
    );
  });

  test.each([
    ['32 hex digits', TRACE_ID],
    ['32 hex digits in upper case', TRACE_ID.toUpperCase()],
    ['a UUID', UUID],
    ['a UUID in upper case', UUID.toUpperCase()],
  ])('take a trace id of %s as it is', (_what, traceId) => {
    expect(idsFor(traceId)).toEqual({ traceId: TRACE_ID, spanId: own.spanId });
  });

  test.each([
    ['32 zeros', '0'.repeat(32)],
    ['a UUID of zeros', '00000000-0000-0000-0000-000000000000'],
    ['an empty text', ''],
    ['no text', 7],
    ['null', null],
  ])('take the trace id from the generation when the caller sends %s', (_what, traceId) => {
    expect(idsFor(traceId)).toEqual(own);
  });

  test('hash any other trace id with the workspace and keep the text', () => {
    const ids = idsFor('order 66');
    expect(ids.traceIdText).toBe('order 66');
    expect(ids.traceId).not.toBe(own.traceId);
    expect(idsFor('order 67').traceId).not.toBe(ids.traceId);
    expect(idsFor('order 66', 'workspace-2').traceId).not.toBe(ids.traceId);
    expect(idsFor(`${TRACE_ID}0`).traceIdText).toBe(`${TRACE_ID}0`);
  });
});
