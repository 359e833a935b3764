import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CONVENTIONS_SCHEMA_URL } from '../../../../domain/broadcast/semantic-names.ts';
import { encodeTraces, type OtlpSpan } from '../../../../services/broadcast/otlp/encode.ts';
import { IDS } from '../../../domain/broadcast/broadcast-event.ts';
import { readTraces, type ReceivedSpan, valuesOf } from './trace-format.ts';

const FORMATS = ['json', 'protobuf'] as const;
const RESOURCE = { 'service.name': 'sluice' };

const SPAN: OtlpSpan = {
  ...IDS,
  name: 'chat model',
  startedAtMs: 1_767_225_600_123,
  endedAtMs: 1_767_225_602_623.25,
  attributes: {},
  events: [],
};

function send(span: OtlpSpan, format: (typeof FORMATS)[number]): ReceivedSpan {
  const [received] = readTraces(encodeTraces([span], RESOURCE, format), format);
  return received!.scopeSpans[0]!.spans[0]!;
}

describe.each(FORMATS)('spans as OTLP in %s', (format) => {
  test('arrive under one resource and the scope sluice with its schema URL', () => {
    const other = { ...SPAN, spanId: '00f067aa0ba902b7' };
    const received = readTraces(encodeTraces([SPAN, other], { ...RESOURCE, project: 'a' }, format), format);
    expect(received).toHaveLength(1);
    const { resource, scopeSpans } = received[0]!;
    expect(valuesOf(resource.attributes)).toEqual({
      'service.name': { stringValue: 'sluice' },
      project: { stringValue: 'a' },
    });
    expect(scopeSpans).toHaveLength(1);
    expect(scopeSpans[0]).toMatchObject({ scope: { name: 'sluice' }, schemaUrl: CONVENTIONS_SCHEMA_URL });
    expect(scopeSpans[0]!.spans.map(({ spanId }) => spanId)).toEqual([SPAN.spanId, other.spanId]);
  });

  test('keep ids, name, kind and times in nanoseconds', () => {
    expect(send(SPAN, format)).toMatchObject({
      ...IDS,
      name: 'chat model',
      kind: 3,
      startTimeUnixNano: '1767225600123000000',
      endTimeUnixNano: '1767225602623250000',
    });
  });

  test('have a parent only if the caller named one', () => {
    expect(send(SPAN, format).parentSpanId ?? '').toBe('');
    expect(send({ ...SPAN, parentSpanId: '00f067aa0ba902b7' }, format).parentSpanId).toBe('00f067aa0ba902b7');
  });

  test('carry status code 2 and a message when the generation failed', () => {
    expect(send(SPAN, format).status.code).toBe(0);
    expect(send({ ...SPAN, errorMessage: 'The generation failed' }, format).status).toEqual({
      code: 2,
      message: 'The generation failed',
    });
  });

  test('keep the type of every attribute', () => {
    const attributes = {
      text: 'Grüße 🌧',
      count: 3,
      below: -7,
      share: 0.1,
      tiny: 1e-9,
      no: false,
      list: ['a', 'b'],
    };
    const received = valuesOf(send({ ...SPAN, attributes }, format).attributes);
    expect(received).toEqual({
      text: { stringValue: 'Grüße 🌧' },
      count: { intValue: format === 'json' ? 3 : '3' },
      below: { intValue: format === 'json' ? -7 : '-7' },
      share: { doubleValue: 0.1 },
      tiny: { doubleValue: 1e-9 },
      no: { boolValue: false },
      list: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } },
    });
  });

  test('keep events with their times and attributes', () => {
    const events = [{ name: 'sluice.attempt', atMs: SPAN.startedAtMs + 0.5, attributes: { status: 429 } }];
    const [event] = send({ ...SPAN, events }, format).events;
    expect(event).toMatchObject({ name: 'sluice.attempt', timeUnixNano: '1767225600123500000' });
    expect(valuesOf(event!.attributes)).toEqual({ status: { intValue: format === 'json' ? 429 : '429' } });
  });

  test('keep any text and any time to the millisecond', () => {
    const times = fc.integer({ min: 0, max: 4_102_444_800_000 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), times, fc.nat(100_000), (text, startedAtMs, tookMs) => {
        const endedAtMs = startedAtMs + tookMs;
        const span = send({ ...SPAN, name: text, startedAtMs, endedAtMs, attributes: { text } }, format);
        expect(span.name).toBe(text);
        expect(valuesOf(span.attributes)).toEqual({ text: { stringValue: text } });
        expect(span.startTimeUnixNano).toBe(String(BigInt(startedAtMs) * 1_000_000n));
        expect(span.endTimeUnixNano).toBe(String(BigInt(endedAtMs) * 1_000_000n));
      }),
    );
  });
});
