/** Opens a generation for an accepted request, and holds the facts that end up in its ledger row. */
import type {
  ApiType,
  GenerationRecord,
  GenerationStatus,
  ProviderResponse,
} from '../../domain/ledger/generation.ts';
import type { Modality } from '../../domain/modality.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import { trackingStringOf } from '../../domain/accounts/end-user.ts';
import { AppError } from '../../domain/errors.ts';
import { newGenerationId } from '../../domain/ids.ts';
import type { Bill } from '../../domain/ledger/bill.ts';
import type { MediaUsage } from '../../domain/catalog/media-price.ts';
import type { PricedCalls } from '../../domain/catalog/priced-calls.ts';
import type { TokenPrices } from '../../domain/catalog/token-pricing.ts';
import type { Nanos } from '../../domain/money.ts';
import { logsBody } from '../../domain/ledger/logged-body.ts';
import { hasExpired } from '../../domain/principal.ts';
import type { Target } from '../../domain/routing/routing.ts';
import type { Workspace } from '../../domain/accounts/workspace.ts';
import { appOf } from './app-of.ts';
import { type BodyDraft, createBodyDraft } from './body-draft.ts';
import { normalFinishReason } from '../../domain/live/finish-reason.ts';
import { rankingsSample } from './rankings-sample.ts';
import type { LiveCall } from './live-call.ts';
import type { UnusualBill } from './billed-units.ts';

/** A generation that was accepted: the facts that are known before any upstream is called. */
export interface OpenGeneration {
  id: string;
  startedAtMs: number;
  apiType: ApiType;
  call: LiveCall<unknown>;
  /** The conversation of a chat, or the input of another operation. */
  input: unknown;
  /** Collects prompt and answer; null when neither the log nor a destination needs them. */
  draft: BodyDraft | null;
  /** True when the workspace logs prompt and answer of this generation. */
  isLogged: boolean;
  /** True when the workspace has a destination, so that facts are collected for it. */
  isBroadcast: boolean;
  /** True when one of the destinations needs prompt and answer. */
  isContentBroadcast: boolean;
  /** The error that the caller gets in place of an answer, or at the end of a stream. */
  failure?: AppError;
  /** The end user named by the caller, or the key's. */
  externalUser: string | null;
  presetId: string | null;
  inputModalities: Modality[];
  streamed: boolean;
}

/** The facts about a generation that are known at its end. */
export interface Ending {
  status: GenerationStatus;
  target: Target;
  responses: ProviderResponse[];
  usage: TokenUsage | null;
  costNanos: Nanos;
  /** The bill that the ledger keeps; absent if nothing was used. */
  bill?: Bill | undefined;
  /** The prices of the bill, where they may differ from those that the endpoint lists first. */
  prices?: TokenPrices | undefined;
  /** The calls of the bill, where they have different prices. */
  calls?: PricedCalls | undefined;
  upstreamCostNanos: Nanos | null;
  outputModalities: Modality[];
  finishReason: string | null;
  /** The upstream's own finish reason, when it differs from `finishReason`. */
  nativeFinishReason?: string | null;
  upstreamId: string | null;
  /** The model that the upstream names in its answer. */
  responseModel?: string | null;
  serviceTier: string | null;
  toolCalls: number;
  /** The counts of media in the request and in the answer; absent for operations that do not count them. */
  mediaPrompt?: number;
  mediaCompletion?: number;
  /** Usage that is priced apart from tokens: pictures of the prompt, and media. */
  promptImages?: number;
  mediaUsage?: MediaUsage | undefined;
  /** Set when an operator should look at the bill. */
  unusual?: UnusualBill | undefined;
  /** The time of the first output; null when there was none. */
  answeredAtMs: number | null;
}

/**
 * Accepts a generation. Throws 401 for a key that has expired since its verification. The key is verified before the
 * body arrives, which may take minutes.
 */
export function openGeneration(
  facts: Pick<OpenGeneration, 'apiType' | 'call' | 'input' | 'presetId' | 'inputModalities' | 'streamed'> & {
    user: string | null | undefined;
    settings: Workspace;
  },
): OpenGeneration {
  const { user, settings, ...rest } = facts;
  const { principal } = facts.call;
  const { keyId, externalUser } = principal;
  const startedAtMs = Date.now();
  if (hasExpired(principal, startedAtMs)) throw new AppError('invalid_credential');
  const id = newGenerationId(startedAtMs);
  const isLogged = logsBody(settings, keyId, id);
  const isBroadcast = settings.hasDestinations && settings.isObservabilityBroadcastEnabled;
  const isContentBroadcast = isBroadcast && settings.needsBroadcastContent;
  return {
    ...rest,
    id,
    startedAtMs,
    externalUser: trackingStringOf(user) ?? externalUser ?? null,
    draft: isLogged || isContentBroadcast ? openDraft(facts) : null,
    isLogged,
    isBroadcast,
    isContentBroadcast,
  };
}

function openDraft({ apiType, input, call }: Pick<OpenGeneration, 'apiType' | 'input' | 'call'>): BodyDraft {
  return createBodyDraft(apiType, input, call.body, (length) => call.answer.add(length));
}

/** Records the error that the caller gets, for the log of bodies and for destinations. */
export function noteFailure(open: OpenGeneration, error: AppError): void {
  open.failure = error;
  open.draft?.fail(error);
}

/** Returns the generation as a row of the ledger. */
export function toRecord(open: OpenGeneration, ending: Ending): GenerationRecord {
  const { principal, client, sessionId } = open.call;
  const { target, usage, answeredAtMs } = ending;
  const settledAtMs = Date.now();
  return {
    id: open.id,
    settledAt: new Date(settledAtMs),
    organizationId: principal.organizationId,
    workspaceId: principal.workspaceId,
    keyId: principal.keyId,
    model: target.model.canonicalSlug,
    provider: target.endpoint.providerSlug,
    apiType: open.apiType,
    status: ending.status,
    finishReason: normalFinishReason(ending.finishReason),
    costNanos: ending.costNanos,
    upstreamCostNanos: ending.upstreamCostNanos,
    isByok: target.own !== undefined,
    streamed: open.streamed,
    dataRegion: target.endpoint.region,
    country: client.country ?? null,
    app: appOf(client),
    sessionId,
    userId: principal.creatorUserId ?? null,
    externalUser: open.externalUser,
    presetId: open.presetId,
    usage,
    mediaPrompt: ending.mediaPrompt ?? null,
    mediaCompletion: ending.mediaCompletion ?? null,
    toolCalls: ending.toolCalls,
    inputModalities: open.inputModalities,
    outputModalities: ending.outputModalities,
    latencyMs: answeredAtMs === null ? null : answeredAtMs - open.startedAtMs,
    generationMs: settledAtMs - open.startedAtMs,
    sample: rankingsSample(open.id, open.input),
    details: {
      upstreamId: ending.upstreamId,
      nativeFinishReason: ending.nativeFinishReason ?? ending.finishReason,
      serviceTier: ending.serviceTier,
      bill: ending.bill,
      httpReferer: client.referer ?? null,
      appTitle: client.title ?? null,
      userAgent: client.userAgent ?? null,
      requestId: client.requestId,
      providerResponses: ending.responses,
    },
  };
}
