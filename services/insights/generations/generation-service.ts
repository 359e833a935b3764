/** Shows one past generation, or its logged prompt and answer, to its owner. */
import type { GenerationReadModel, StoredGeneration } from '../../../db/insights/generation-read-model.ts';
import { GENERATION_ID_PATTERN, timestampOfId } from '../../../domain/ids.ts';
import type { LoggedBody } from '../../../domain/ledger/logged-body.ts';
import { type Principal, readScope } from '../../../domain/principal.ts';
import { readBody, type ReadBodyDeps } from '../../ledger/bodies/read-body.ts';
import { requireFound, requireId } from '../../require-found.ts';
import type { CostParts } from '../../../domain/ledger/broadcast-facts.ts';
import { costByKind } from './cost-by-kind.ts';
import type {
  ProviderResponse,
  RecordedResponse,
  SubmissionResponse,
} from '../../../domain/ledger/generation.ts';

/** A generation with its cost by kind, and with display names for its providers. */
export interface FoundGeneration extends Omit<
  StoredGeneration,
  'providerResponses' | 'bill' | 'pricing' | 'isPrivate'
> {
  costByKind: CostParts | null;
  providerName: string;
  responses: ShownResponse[] | null;
}

export interface GenerationServiceDeps extends ReadBodyDeps {
  generations: GenerationReadModel;
  providerName(slug: string): string;
}

/** Finds generations and their logged bodies. Unknown, malformed and foreign ids get the same 404. */
export function createGenerationService(deps: GenerationServiceDeps) {
  return {
    async get(principal: Principal, id: string): Promise<FoundGeneration> {
      const createdAt = new Date(timestampOfId(requireId(id, GENERATION_ID_PATTERN)));
      const found = await deps.generations.find(readScope(principal), id, createdAt);
      const { providerResponses, bill, pricing, isPrivate, ...facts } = requireFound(found);
      return {
        ...facts,
        costByKind: costByKind({ ...facts, bill, pricing, isPrivate }),
        providerName: deps.providerName(facts.provider),
        responses: shownResponses(providerResponses, deps.providerName),
      };
    },
    /** Returns the logged prompt and answer. Throws 404 also for a generation that was not logged. */
    async content(principal: Principal, id: string): Promise<LoggedBody> {
      return requireFound(await readBody(deps, readScope(principal), requireId(id, GENERATION_ID_PATTERN)));
    },
  };
}

export type GenerationService = ReturnType<typeof createGenerationService>;

/** The shown part of a recorded call of a provider. */
type ShownResponse = Partial<Omit<ProviderResponse, 'provider'>> & Pick<ProviderResponse, 'status'>;

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
