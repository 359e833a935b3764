import type { OutboundGuard } from '../../platform/outbound-guard.ts';
import { ANSWER_TIMEOUT_MS, type SendDeps } from './destinations/destination-adapter.ts';
import { traceEncoder } from './otlp/trace-encoder.ts';

/** Builds the dependencies for sending to any destination. */
export function createSendDeps(guard: Pick<OutboundGuard, 'fetch'>): Omit<SendDeps, 'webhookSecrets'> {
  return { guard, encoder: traceEncoder, timeoutMs: ANSWER_TIMEOUT_MS, now: Date.now };
}
