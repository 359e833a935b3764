import type { DestinationConfig, DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import type { Batch, DestinationAdapter, SendDeps, TestAnswer, Verdict } from './destination-adapter.ts';
import { destinationTypes } from './registry.ts';
import { createTestSpan } from './test-span.ts';

/** Sends a batch once to the tool that a configuration names. */
export function sendToDestination(
  { type, config }: DestinationConfig,
  batch: Batch,
  deps: SendDeps,
  signal: AbortSignal,
): Promise<Verdict> {
  return adapterOf(type).send(batch, config, deps, signal);
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
  const verdict = await (adapter.test?.(config, deps, signal) ??
    adapter.send({ spans: [span], id: span.generationId, destinationId: 'test' }, config, deps, signal));
  return {
    passed: verdict.kind === 'delivered',
    status: verdict.status,
    text: verdict.excerpt ?? ('reason' in verdict ? verdict.reason : ''),
  };
}

/** A type and its configuration belong together, which the compiler cannot see across the lookup. */
function adapterOf(type: keyof DestinationConfigs): DestinationAdapter<DestinationConfig['config']> {
  return destinationTypes[type] as DestinationAdapter<DestinationConfig['config']>;
}
