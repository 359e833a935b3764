import { AppError } from '../../../domain/errors.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import { createSpeechMeter, type SpeechMeter } from '../../../domain/speech-meter.ts';
import type { SpeechAnswer } from '../../../providers/speech-adapter.ts';
import { toCallerError } from '../../routing/provider-failure.ts';
import type { BegunSpeech, SpeechSource } from './begun-speech.ts';
import { EventStream, type Pieces } from '../event-stream.ts';
import type { LiveDeps } from '../live-deps.ts';
import { createSpeechSettlement } from './speech-settlement.ts';

/**
 * The caller's stream: the upstream's bytes, untouched and as they come; it ends once the generation is in the ledger.
 * There is no place in it for an error: what breaks off fails the stream, which closes the caller's connection. A caller
 * who leaves ends the upstream's work. What came until then is billed.
 */
export function streamSpeech(deps: LiveDeps, begun: BegunSpeech, source: SpeechSource): EventStream {
  return new EventStream(soundOf(deps, begun, source));
}

async function* soundOf(deps: LiveDeps, begun: BegunSpeech, source: SpeechSource): Pieces {
  const meter = createSpeechMeter(begun.asked.format);
  const settlement = createSpeechSettlement(deps, begun, source, meter);
  try {
    const failure = yield* passOn(source.answer.audio, meter);
    await settlement.end(failure);
    if (failure !== undefined) throw failure;
    return undefined;
  } finally {
    // Only where the caller left in the middle it has not ended yet.
    await settlement.abandon();
  }
}

/** All bytes, as they come. Resolves with what cut them off, if anything did. */
async function* passOn(
  audio: SpeechAnswer['audio'],
  meter: SpeechMeter,
): AsyncGenerator<Buffer, AppError | undefined> {
  try {
    for await (const arrived of audio) {
      for (const bytes of arrived) {
        meter.see(bytes);
        yield bytes;
      }
    }
    return undefined;
  } catch (error) {
    return error instanceof ProviderError ? toCallerError(error) : new AppError('internal', { cause: error });
  }
}
