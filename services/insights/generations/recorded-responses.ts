/** Reads the record of which providers were called for a generation, in a form safe for clients. */
import type { ProviderResponse } from '../../../domain/ledger/generation.ts';

/** The readable part of a recorded call of a provider; the HTTP status is null when unknown. */
export type RecordedResponse = Partial<Omit<ProviderResponse, 'provider'>> & Pick<ProviderResponse, 'status'>;

/**
 * Returns the calls of providers for a generation. Another version may have written their JSON, so unexpected parts are
 * left out: they could break a strict client. Returns null when there is no record.
 */
export function readResponses(
  recorded: unknown,
  providerName: (slug: string) => string,
): RecordedResponse[] | null {
  if (!Array.isArray(recorded)) return null;
  const entries = (recorded as unknown[]).filter((entry) => typeof entry === 'object' && entry !== null);
  return entries.map((entry) => {
    const fields = entry as Record<string, unknown>;
    return 'state' in fields ? readSubmission(fields, providerName) : readResponse(fields);
  });
}

function readResponse(fields: Record<string, unknown>): RecordedResponse {
  const { provider_name, endpoint_id, status, error, latency, is_byok } = fields;
  return {
    ...(typeof provider_name === 'string' ? { provider_name } : {}),
    ...(typeof endpoint_id === 'string' ? { endpoint_id } : {}),
    status: Number.isInteger(status) ? (status as number) : null,
    ...(typeof error === 'string' ? { error } : {}),
    ...(typeof latency === 'number' ? { latency } : {}),
    ...(typeof is_byok === 'boolean' ? { is_byok } : {}),
  };
}

/**
 * Returns a submitted job, which the provider accepted or not, as a call. No request was waiting when the job ended,
 * so it has no HTTP status.
 */
function readSubmission(
  { provider, state }: Record<string, unknown>,
  providerName: (slug: string) => string,
): RecordedResponse {
  return {
    ...(typeof provider === 'string' ? { provider_name: providerName(provider) } : {}),
    status: null,
    ...(typeof state === 'string' && state !== 'accepted' ? { error: state } : {}),
  };
}
