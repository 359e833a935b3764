/** Shows the calls of providers for a generation in the form that clients get. */
import type {
  ProviderResponse,
  RecordedResponse,
  SubmissionResponse,
} from '../../../domain/ledger/generation.ts';

/** The shown part of a recorded call of a provider. */
export type ShownResponse = Partial<Omit<ProviderResponse, 'provider'>> & Pick<ProviderResponse, 'status'>;

/** Returns the calls of providers for a generation; null when there is no record. */
export function shownResponses(
  recorded: readonly RecordedResponse[] | null,
  providerName: (slug: string) => string,
): ShownResponse[] | null {
  return recorded?.map((call) => ('state' in call ? submission(call, providerName) : response(call))) ?? null;
}

function response({ provider: _provider, ...shown }: ProviderResponse): ShownResponse {
  return shown;
}

/**
 * Returns a submitted job, which the provider accepted or not, as a call. No request was waiting when the job ended,
 * so it has no HTTP status.
 */
function submission(
  { provider, state }: SubmissionResponse,
  providerName: (slug: string) => string,
): ShownResponse {
  return {
    provider_name: providerName(provider),
    status: null,
    ...(state === 'accepted' ? {} : { error: state }),
  };
}
