import type { LiveEndpoint } from '../../../domain/catalog.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { SpeechFormat } from '../../../domain/speech.ts';
import { attemptGeneration } from '../attempt-generation.ts';
import { highestCost } from '../attempt-live.ts';
import type { BegunSpeech } from './begun-speech.ts';
import { openGeneration } from '../generation.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { planTargets } from '../plan-targets.ts';
import { guessSpeech, readSpeechFacts } from './speech-facts.ts';
import { issuesAt, readSpeech, type SpeechBody, speechFor } from './speech-request.ts';
import { streamSpeech } from './speech-stream.ts';

export interface SpeechService {
  /**
   * The sound, from its first bytes on. Whatever happens afterwards, its generation is in the ledger before its end; a
   * sound that breaks off fails.
   */
  speak(
    call: LiveCall<SpeechBody>,
  ): Promise<{ generationId: string; format: SpeechFormat; audio: EventStream }>;
}

export function createSpeechService(deps: LiveDeps): SpeechService {
  return {
    async speak(call) {
      const begun = await begin(deps, call);
      const { asked, open } = begun;
      const { answered, responses } = await attemptGeneration(deps, begun, (target, context) =>
        deps.providers
          .speechAdapter(target.endpoint.providerSlug)
          ?.speak(speechFor(target, asked, call.body.provider), context),
      );
      const audio = streamSpeech(deps, begun, { ...answered, responses });
      return { generationId: open.id, format: asked.format, audio };
    },
  };
}

async function begin(deps: LiveDeps, call: LiveCall<SpeechBody>): Promise<BegunSpeech> {
  deps.ledger.requireOpen();
  const { principal, body } = call;
  const settings = await deps.settingsOf(principal.workspaceId);
  const asked = readSpeech(body);
  const facts = readSpeechFacts(asked);
  const costAt = (endpoint: LiveEndpoint): Nanos => guessSpeech(endpoint, facts, asked.speed);
  const targets = planTargets(deps, 'speech', body, settings, { issuesAt: issuesAt(asked), costAt });
  const usage = highestCost(targets, ({ endpoint }) => costAt(endpoint));
  const open = openGeneration({
    apiType: 'tts',
    call,
    presetId: null,
    user: body.user,
    input: asked.input,
    settings,
    inputModalities: facts.modalities,
    streamed: true,
  });
  // Last: whoever has the reservation must give it back, and nothing between here and there can fail.
  const reservation = await deps.spending.reserve(principal, { usage, byok: 0n });
  return { call, open, reservation, targets, asked, facts };
}
