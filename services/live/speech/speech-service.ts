/** Turns text into speech for callers, as a stream of sound. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { SpeechFormat } from '../../../domain/live/speech.ts';
import type { SpeechAnswer } from '../../../providers/speech-adapter.ts';
import type { EventStream } from '../../../platform/event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { dearestFor, pricedFor } from '../applicable-prices.ts';
import { CALLERS_FAILURES_OF_MEDIA } from '../pipeline/callers-failures.ts';
import type { LiveOperation } from '../pipeline/live-operation.ts';
import { type OutcomeFacts, runLive } from '../pipeline/run-live.ts';
import type { TargetEstimate } from '../pipeline/target-reservation.ts';
import { textSizeOf } from '../prompt/measure-prompt.ts';
import { billEstimatedSpeech, mostOfSpeech, readSpeechFacts, type SpeechFacts } from './speech-facts.ts';
import { issuesAt, readSpeech, type SpeechBody, speechFor } from './speech-request.ts';
import { billAbandonedSpeech } from './speech-bill.ts';
import { streamSpeech } from './speech-stream.ts';

export function createSpeechService(deps: LiveDeps) {
  const operation = speechOperation(deps);
  return {
    /**
     * Resolves with the sound when its first bytes are there. The generation is in the ledger before the sound ends.
     * The stream fails if the sound breaks off.
     */
    async speak(
      call: LiveCall<SpeechBody>,
    ): Promise<OutcomeFacts & { format: SpeechFormat; audio: EventStream }> {
      const { result, ...facts } = await runLive(deps, operation, call);
      return { ...facts, ...result };
    },
  };
}

export type SpeechService = ReturnType<typeof createSpeechService>;

/** Creates the operation for speech, whose answer is always a stream of bytes. */
function speechOperation(
  deps: LiveDeps,
): LiveOperation<SpeechBody, SpeechAnswer, { format: SpeechFormat; audio: EventStream }> {
  return {
    capability: 'speech',
    apiType: 'tts',
    callersFailures: CALLERS_FAILURES_OF_MEDIA,
    read({ body }) {
      const requested = readSpeech(body);
      const facts = readSpeechFacts(requested);
      const priced = { askedAtMs: Date.now(), modalities: facts.modalities };
      const nowAt = (endpoint: LiveEndpoint) => pricedFor(endpoint, priced, 'audio', facts.tokens);
      const dearestAt = (endpoint: LiveEndpoint) => dearestFor(endpoint, priced, 'audio', facts.tokens);
      const estimate = (endpoint: LiveEndpoint) =>
        estimateAt(endpoint, facts, requested.speed, body.provider);
      const issuesOf = issuesAt(requested);
      const { format } = requested;
      const costAt = ({ endpoint }: Target): Nanos =>
        billEstimatedSpeech(nowAt(endpoint), facts, {
          speed: speedAt(endpoint, requested.speed, body.provider),
        }).costNanos;
      // Adapters fetch the references.
      const { input_references: _references, ...searched } = body;
      return {
        routable: body,
        searched,
        issuesAt: ({ endpoint }) => issuesOf(endpoint),
        costAt,
        highestPricesAt: ({ endpoint }) => dearestAt(endpoint).pricing,
        opening: {
          input: requested.input,
          inputModalities: facts.modalities,
          user: body.user,
          streamed: true,
        },
        estimateAt: ({ endpoint }) => estimate(dearestAt(endpoint)),
        abandonedAt({ endpoint }) {
          const { reserved, speed } = reservedAt(endpoint, facts, requested.speed, body.provider);
          return billAbandonedSpeech(endpoint, priced, facts.tokens, (at) =>
            billEstimatedSpeech(at, reserved, { speed }),
          );
        },
        ask: (target, context) =>
          deps.providers.of(target)?.speech?.speak(speechFor(target, requested, body.provider), context),
        answered: (answered) => ({
          stream: streamSpeech(format, facts, priced, answered),
          show: (audio) => ({ format, audio }),
        }),
      };
    },
  };
}

/** Returns what speech may cost. */
function estimateAt(
  endpoint: LiveEndpoint,
  facts: SpeechFacts,
  asked: number | undefined,
  provider: SpeechBody['provider'],
): TargetEstimate {
  const { reserved, speed } = reservedAt(endpoint, facts, asked, provider);
  return {
    fixed: billEstimatedSpeech(endpoint, reserved, { speed }).costNanos,
    mostFixed: mostOfSpeech(endpoint, reserved, speed),
  };
}

/** Returns the facts to reserve by. Options for the provider count as text, because they may hold instructions. */
function reservedAt(
  endpoint: LiveEndpoint,
  facts: SpeechFacts,
  asked: number | undefined,
  provider: SpeechBody['provider'],
): { reserved: SpeechFacts; speed: number } {
  const { tokens: beside } = textSizeOf(provider?.options?.[endpoint.providerSlug] ?? {});
  const speed = speedAt(endpoint, asked, provider);
  return { reserved: { ...facts, tokens: facts.tokens + beside }, speed };
}

/** Returns the speed for an endpoint: the request's own, else the option for its provider. */
function speedAt(
  { providerSlug }: LiveEndpoint,
  speed: number | undefined,
  provider: SpeechBody['provider'],
): number {
  const option = Number(provider?.options?.[providerSlug]?.['speed'] ?? 1);
  return speed ?? (option > 0 ? option : 1);
}
