import type { ProviderResponse } from '../../../domain/ledger/generation.ts';

/** A call of a provider as far as its record tells; the HTTP status is null where it does not. */
export type RecordedResponse = Partial<Omit<ProviderResponse, 'provider'>> & Pick<ProviderResponse, 'status'>;

/**
 * The calls of providers that a generation went through. They are JSON that another version may have written: what
 * is not as expected is left out, so that an old row never breaks a strict client. Null where there is no record.
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

/** A job was handed in, which the provider took or did not; when it ended there was no request to answer. */
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
