import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { newGenerationId, newUuid } from '../../domain/ids.ts';

/** A settled chat completion, with the change. */
export function makeGeneration(change: Partial<GenerationRecord> = {}): GenerationRecord {
  return {
    id: newGenerationId(Date.now()),
    settledAt: new Date(),
    organizationId: newUuid(),
    workspaceId: newUuid(),
    keyId: 1,
    model: 'a/b',
    provider: 'a',
    apiType: 'completions',
    status: 'completed',
    finishReason: 'stop',
    costNanos: 1_000n,
    upstreamCostNanos: null,
    isByok: false,
    streamed: false,
    dataRegion: 'global',
    country: null,
    app: null,
    sessionId: null,
    userId: null,
    externalUser: null,
    presetId: null,
    usage: { prompt: 10, completion: 20 },
    mediaPrompt: null,
    mediaCompletion: null,
    toolCalls: 0,
    inputModalities: ['text'],
    outputModalities: ['text'],
    latencyMs: 120,
    generationMs: 400,
    sample: null,
    details: {
      upstreamId: null,
      nativeFinishReason: null,
      serviceTier: null,
      httpReferer: null,
      appTitle: null,
      userAgent: null,
      requestId: null,
      providerResponses: [],
    },
    ...change,
  };
}
