import { randomBytes } from 'node:crypto';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';

/** Returns a synthetic span for testing a connection. */
export function createTestSpan(nowMs: number): BroadcastSpan {
  const spanId = randomBytes(8).toString('hex');
  return {
    generationId: `gen-test-${spanId}`,
    traceId: randomBytes(16).toString('hex'),
    spanId,
    name: 'Sluice connection test',
    operation: 'chat',
    outputType: 'text',
    startedAtMs: nowMs - 1_000,
    endedAtMs: nowMs,
    provider: 'sluice',
    requestModel: 'sluice/connection-test',
    responseModel: 'sluice/connection-test',
    streamed: false,
    parameters: {},
    finishReason: 'stop',
    usage: { input: 1, output: 1, total: 2 },
    metadata: {},
    attempts: [],
    isContentDropped: false,
  };
}
