import type { BroadcastSpan } from '../../../../domain/broadcast/span.ts';

/** 22 November 2026, 16:00 UTC. */
export const START_MS = Date.UTC(2026, 10, 22, 16);

/** A span with all that the flags allow; `over` replaces parts. */
export function makeSpan(over: Partial<BroadcastSpan> = {}): BroadcastSpan {
  return {
    generationId: 'gen-1',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    name: 'answer a question',
    traceName: 'support',
    operation: 'chat',
    startedAtMs: START_MS,
    endedAtMs: START_MS + 1_500,
    provider: 'openai',
    requestModel: 'openai/gpt-4o',
    responseModel: 'gpt-4o-2024-11-20',
    streamed: true,
    parameters: { temperature: 0.5, maxTokens: 100 },
    finishReason: 'stop',
    timeToFirstTokenMs: 250,
    usage: { input: 12, output: 5, total: 17, cacheRead: 4 },
    sessionId: 'session-1',
    environment: 'production',
    metadata: { order: 'ORD-1' },
    attempts: [{ provider: 'openai', status: 200, latencyMs: 1_400 }],
    identity: {
      externalUser: 'customer-7',
      apiKeyName: 'backend',
      organizationId: 'org',
      workspaceId: 'workspace',
    },
    cost: { total: 0.000_001_5, isByok: false },
    content: {
      system: 'Be short.',
      input: [{ role: 'user', content: [{ type: 'text', text: 'What is 6 × 7?' }] }],
      output: [{ role: 'assistant', content: '42' }],
      outputText: '42',
    },
    isContentDropped: false,
    ...over,
  };
}

/** As little as a span can have: nothing optional is known. */
export function makeBareSpan(): BroadcastSpan {
  const { generationId, traceId, spanId, name, operation, startedAtMs, endedAtMs } = makeSpan();
  return {
    generationId,
    traceId,
    spanId,
    name,
    operation,
    startedAtMs,
    endedAtMs,
    provider: 'openai',
    requestModel: 'openai/gpt-4o',
    responseModel: 'openai/gpt-4o',
    streamed: false,
    parameters: {},
    metadata: {},
    attempts: [],
    isContentDropped: false,
  };
}
