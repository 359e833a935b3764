import { expect, test } from '@jest/globals';
import { limitFacts, limitTrace } from '../../../domain/broadcast/limit-facts.ts';

const large = 'x'.repeat(12_000);

test('limitFacts keeps facts below 16 KiB unchanged', () => {
  const facts = { requestModel: 'a/b', trace: { team: 'shop', note: large }, parameters: { temperature: 1 } };
  expect(limitFacts(facts)).toBe(facts);
});

test('limitFacts drops the largest keys of a trace and keeps the others', () => {
  const facts = limitFacts({ requestModel: 'a/b', trace: { one: large, two: `${large}y`, team: 'shop' } });
  expect(facts).toEqual({ requestModel: 'a/b', trace: { one: large, team: 'shop' } });
});

test('limitFacts drops parameters that exceed the limit by themselves', () => {
  const stopSequences = Array.from({ length: 2_000 }, () => 'a long stop sequence');
  const facts = limitFacts({ parameters: { stopSequences }, trace: { team: 'shop' }, hasContent: true });
  expect(facts).toEqual({ parameters: {}, trace: {}, hasContent: true });
});

test('limitFacts counts bytes, three for a Chinese character', () => {
  const trace = { note: '\u6587'.repeat(6_000), team: 'shop' };
  expect(limitFacts({ requestModel: 'a/b', trace })).toEqual({
    requestModel: 'a/b',
    trace: { team: 'shop' },
  });
});

test('limitFacts drops small keys only until the rest fits', () => {
  const trace = Object.fromEntries(Array.from({ length: 3_000 }, (_, key) => [`key-${key}`, 1]));
  const bytes = Buffer.byteLength(JSON.stringify(limitFacts({ trace })));
  expect(bytes).toBeLessThanOrEqual(16 * 1024);
  expect(bytes).toBeGreaterThan(16 * 1024 - 20);
});

test('limitTrace drops the largest keys and keeps the trace id', () => {
  const trace = { trace_id: 'order-7', note: '\u6587'.repeat(400), team: 'shop' };
  expect(limitTrace(trace, 1_200)).toEqual({ trace_id: 'order-7', team: 'shop' });
  expect(limitTrace(trace, 2_000)).toBe(trace);
});
