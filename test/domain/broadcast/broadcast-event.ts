import type { BroadcastRules } from '../../../domain/broadcast/destination.ts';
import type { BroadcastContent, BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { SpanIds } from '../../../domain/broadcast/trace-id.ts';

const STARTED_AT_MS = 1_767_225_600_123;

export const IDS: SpanIds = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

export const CONTENT: BroadcastContent = {
  input: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'The secret question' },
  ],
  output: [{ role: 'assistant', content: 'The secret answer' }],
  outputText: 'The secret answer',
};

/** A successful chat with everything that is usual, and the changes that a test makes to it. */
export function broadcastEvent(changes: Partial<BroadcastEvent> = {}): BroadcastEvent {
  return {
    generationId: `gen-${STARTED_AT_MS}-AAAAAAAAAAAAAAAAAAAA`,
    createdAt: new Date(STARTED_AT_MS),
    settledAt: new Date(STARTED_AT_MS + 2_500),
    organizationId: 'organization-1',
    workspaceId: 'workspace-1',
    model: 'vendor/model-1',
    provider: 'openai',
    apiType: 'completions',
    status: 'completed',
    finishReason: 'stop',
    costNanos: 1_500_000n,
    upstreamCostNanos: 1_250_000n,
    isByok: false,
    streamed: true,
    dataRegion: 'global',
    country: 'DE',
    sessionId: 'session-1',
    userId: 'user_creator',
    externalUser: 'customer-7',
    key: { hash: 'hash-1', name: 'production' },
    usage: { prompt: 100, completion: 40, reasoning: 15, cacheRead: 60 },
    latencyMs: 350,
    generationMs: 2_100,
    httpReferer: 'https://app.example',
    appTitle: 'App',
    userAgent: 'agent/1.0',
    attempts: [{ provider: 'openai', status: 200, latencyMs: 2_400 }],
    facts: { hasContent: true },
    content: CONTENT,
    ...changes,
  };
}

/** Rules that send everything, with every flag. */
export function openRules(changes: Partial<BroadcastRules> = {}): BroadcastRules {
  return {
    apiKeyHashes: null,
    regions: ['global', 'europe', 'us'],
    filterRules: null,
    samplingRate: 1,
    privacyMode: false,
    flags: { sendsCost: true, sendsCostAllocation: true, sendsIdentity: true, sendsRequestContext: true },
    ...changes,
  };
}

export const NO_FLAGS = {
  sendsCost: false,
  sendsCostAllocation: false,
  sendsIdentity: false,
  sendsRequestContext: false,
};
