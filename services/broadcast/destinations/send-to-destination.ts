/** Sends a batch or a connection test through the adapter of the destination's type. */
import type { DestinationConfig, DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import {
  type Batch,
  type DestinationAdapter,
  type SendDeps,
  type TestAnswer,
  type SendOutcome,
  ANSWER_TIMEOUT_MS,
} from './destination-adapter.ts';
import { destinationTypes } from './registry.ts';
import { repeatsContent } from './repeats-content.ts';
import type { OutboundGuard } from '../../../platform/outbound-guard.ts';
import { traceEncoder } from '../otlp/trace-encoder.ts';
import { randomBytes } from 'node:crypto';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';

/** The text that replaces an answer with parts of a prompt, for people who may not read prompts. */
const REPEATED = 'The answer is not shown: it repeats what was sent.';

/** Sends a batch once to the tool that a configuration names. The verdict contains nothing of a prompt or an answer. */
export async function sendToDestination(
  { type, config }: DestinationConfig,
  batch: Batch,
  deps: SendDeps,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const outcome = await adapterOf(type).send(batch, config, deps, signal);
  const { excerpt } = outcome;
  if (excerpt === undefined || !repeatsContent(excerpt, batch.spans)) return outcome;
  return { ...outcome, excerpt: REPEATED };
}

/** Sends the type's own test, or one synthetic span. */
export async function testDestination(
  destination: DestinationConfig,
  deps: SendDeps,
  signal: AbortSignal,
): Promise<TestAnswer> {
  const { type, config } = destination;
  const adapter = adapterOf(type);
  const span = createTestSpan(deps.now());
  const outcome = await (adapter.test?.(config, deps, signal) ??
    adapter.send({ spans: [span], id: span.generationId, destinationId: 'test' }, config, deps, signal));
  return {
    passed: outcome.kind === 'delivered',
    status: outcome.status,
    text: outcome.excerpt ?? ('reason' in outcome ? outcome.reason : ''),
  };
}

/** Returns the adapter of a type. The compiler cannot see that type and configuration belong together. */
function adapterOf(type: keyof DestinationConfigs): DestinationAdapter<DestinationConfig['config']> {
  return destinationTypes[type] as DestinationAdapter<DestinationConfig['config']>;
}

/** Builds the dependencies for sending to any destination. */
export function createSendDeps(guard: Pick<OutboundGuard, 'fetch'>): Omit<SendDeps, 'webhookSecrets'> {
  return { guard, encoder: traceEncoder, timeoutMs: ANSWER_TIMEOUT_MS, now: Date.now };
}

/** Returns a synthetic span for testing a connection. */
function createTestSpan(nowMs: number): BroadcastSpan {
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
