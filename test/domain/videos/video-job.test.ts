import { expect, test } from '@jest/globals';
import { requestFacts } from '../../../domain/videos/video-job.ts';
import type { ShapedRequest } from '../../../domain/videos/video-request.ts';

const shaped: ShapedRequest = { generateAudio: false };

test('a trace above the limit loses its largest keys and keeps its id', () => {
  // 6,000 characters of three bytes.
  const trace = { trace_id: 'order-7', note: '\u6587'.repeat(6_000), team: 'shop' };
  const facts = requestFacts({ model: 'a/b', prompt: 'A cat', trace }, shaped);
  expect(facts.trace).toEqual({ trace_id: 'order-7', team: 'shop' });
});

test('a trace within the limit stays unchanged', () => {
  const trace = { trace_id: 'order-7', note: '\u6587'.repeat(5_000) };
  expect(requestFacts({ model: 'a/b', trace }, shaped).trace).toEqual(trace);
});
