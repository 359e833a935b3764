import { describe, expect, test } from '@jest/globals';
import { composeSpan } from '../../../../domain/broadcast/compose-span.ts';
import type { BroadcastEvent } from '../../../../domain/broadcast/event.ts';
import type { BroadcastSpan } from '../../../../domain/broadcast/span.ts';
import { traceEncoder } from '../../../../services/broadcast/otlp/trace-encoder.ts';
import { broadcastEvent, CONTENT, IDS, openRules } from '../../../domain/broadcast/broadcast-event.ts';
import { readTraces, type ReceivedSpan, valuesOf } from './trace-format.ts';

type Options = Parameters<typeof traceEncoder.encodeSpans>[1];

const ERROR = { code: 'rate_limited', message: 'The provider is limiting requests' };

function spanOf(changes: Partial<BroadcastEvent> = {}): BroadcastSpan {
  return composeSpan(broadcastEvent(changes), openRules(), IDS);
}

function send(span: BroadcastSpan, options: Partial<Options> = {}): ReceivedSpan {
  const format = options.format ?? 'protobuf';
  const body = traceEncoder.encodeSpans([span], { names: [], resource: {}, format, ...options });
  return readTraces(body, format)[0]!.scopeSpans[0]!.spans[0]!;
}

describe('a generation as a span of OTLP', () => {
  test('has ids, name, times, status and events of its span', () => {
    const trace = { parent_span_id: '00f067aa0ba902b7', generation_name: 'draft' };
    const received = send(spanOf({ status: 'failed', facts: { error: ERROR, trace } }));
    expect(received).toMatchObject({
      ...IDS,
      parentSpanId: '00f067aa0ba902b7',
      name: 'draft',
      startTimeUnixNano: '1767225600123000000',
      endTimeUnixNano: '1767225602623000000',
      status: { code: 2, message: ERROR.message },
    });
    expect(received.events.map(({ name }) => name)).toEqual(['sluice.attempt', 'exception']);
    expect(send(spanOf()).status.code).toBe(0);
  });

  test('reads the same in JSON and protobuf', () => {
    const span = spanOf({ status: 'failed', facts: { error: ERROR } });
    const asJson = send(span, { format: 'json' });
    const asProtobuf = send(span, { format: 'protobuf' });
    for (const key of ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'status'] as const) {
      expect(asJson[key]).toEqual(asProtobuf[key]);
    }
    expect(plain(asJson)).toEqual(plain(asProtobuf));
  });

  test('has the gen_ai names and those of the requested sets', () => {
    const received = valuesOf(send(spanOf(), { names: ['openrouter', 'langfuse'] }).attributes);
    expect(received).toMatchObject({
      'gen_ai.provider.name': { stringValue: 'openai' },
      'gen_ai.usage.input_tokens': { intValue: '100' },
      'gen_ai.usage.cost': { doubleValue: 0.0015 },
      'gen_ai.system': { stringValue: 'openai' },
      'langfuse.observation.type': { stringValue: 'generation' },
    });
    expect(received).not.toHaveProperty(['langsmith.span.kind']);
    expect(valuesOf(send(spanOf()).attributes)).not.toHaveProperty(['gen_ai.system']);
  });

  test.each(['json', 'protobuf'] as const)(
    'stays readable in %s with huge numbers and broken texts in its trace',
    (format) => {
      const trace = { huge: 1e300, endless: Infinity, id: 2 ** 63, cut: '\ud83c', span_name: '\ud83c' };
      const { name, attributes } = send(spanOf({ facts: { trace } }), { format });
      const received = valuesOf(attributes);
      expect(name).toBe('\ufffd');
      expect(received['trace.metadata.huge']).toEqual({ stringValue: '1e+300' });
      expect(received['trace.metadata.endless']).toEqual({ stringValue: 'Infinity' });
      expect(received['trace.metadata.id']).toEqual({ stringValue: '9223372036854776000' });
      expect(received['trace.metadata.cut']).toEqual({ stringValue: '\ufffd' });
    },
  );
});

describe('a limit on the length of values', () => {
  const limited = (text: string, maxValueLength: number): string => {
    const span = spanOf({
      facts: { error: { code: 'failed', message: text } },
      status: 'failed',
      content: CONTENT,
    });
    const { events } = send(span, { maxValueLength });
    const value = valuesOf(events.at(-1)!.attributes)['exception.message'] as { stringValue: string };
    return value.stringValue;
  };

  test('cuts longer texts and marks them', () => {
    expect(limited('x'.repeat(50), 50)).toBe('x'.repeat(50));
    expect(limited('x'.repeat(51), 50)).toBe(`${'x'.repeat(43)}… [cut]`);
  });

  test('never cuts a character in two', () => {
    expect(limited(`${'x'.repeat(42)}${'🌧'.repeat(10)}`, 50)).toBe(`${'x'.repeat(42)}… [cut]`);
  });

  test('holds for every text of the span', () => {
    const content = { ...CONTENT, input: [{ role: 'user', content: 'y'.repeat(5_000) }] };
    const facts = { parameters: { stopSequences: ['z'.repeat(5_000)] } };
    const { attributes } = send(spanOf({ content, facts }), {
      maxValueLength: 100,
      names: ['openinference'],
    });
    const texts = JSON.stringify(attributes).match(/"stringValue":"(?:[^"\\]|\\.)*"/g)!;
    for (const text of texts) expect(text.length).toBeLessThan(200);
  });
});

function plain({ attributes, events }: ReceivedSpan): string[] {
  const all = [...attributes, ...events.flatMap((event) => event.attributes)];
  return all.map(({ key, value }) => `${key}=${JSON.stringify(Object.values(value)[0]).replaceAll('"', '')}`);
}
