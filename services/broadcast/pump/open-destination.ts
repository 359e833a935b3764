/**
 * Makes a stored destination ready for use: decrypts its configuration, compiles its filters and selects its adapter.
 */
import type { StoredDestination } from '../../../db/broadcast/destination-rows.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { Batch, BatchLimits, SendDeps, SendOutcome } from '../destinations/destination-adapter.ts';
import { destinationTypes } from '../destinations/registry.ts';
import { sendToDestination, testDestination } from '../destinations/send-to-destination.ts';
import { openConfig } from '../sealed-config.ts';
import { createSelector } from '../selector.ts';
import type { SpanRules } from './prepare-entries.ts';

/** A destination that is ready to receive. */
export interface OpenDestination {
  settings: StoredDestination;
  limits: BatchLimits;
  spanRules: SpanRules;
  send(batch: Batch, signal: AbortSignal): Promise<SendOutcome>;
  /** Returns whether the tool accepts the test event now. */
  passesTest(signal: AbortSignal): Promise<boolean>;
}

export interface OpenDeps {
  encryption: Pick<Encryption, 'open'>;
  send: Omit<SendDeps, 'webhookSecrets'>;
}

/** Opens the configuration and compiles the filters. Both should be kept until someone edits the destination. */
export function openDestination(
  { encryption, send }: OpenDeps,
  settings: StoredDestination,
  webhookSecrets: readonly string[],
): OpenDestination {
  const config = openConfig(encryption, settings);
  const deps = { ...send, webhookSecrets };
  return {
    settings,
    limits: destinationTypes[config.type].limits,
    spanRules: { rules: settings, select: createSelector(settings) },
    send: (batch, signal) => sendToDestination(config, batch, deps, signal),
    passesTest: async (signal) => (await testDestination(config, deps, signal)).passed,
  };
}
