import type { SpeechFormat } from '../../../domain/live/speech.ts';
import { createSpeechMeter } from './speech-meter.ts';
import type { SpeechAnswer } from '../../../providers/speech-adapter.ts';
import type { PricedRequest } from '../applicable-prices.ts';
import type { Answered, LiveStream } from '../pipeline/live-operation.ts';
import { billSpeechNow } from './speech-bill.ts';
import { billOfSpeech, type SpeechFacts } from './speech-facts.ts';

/**
 * Passes the upstream's bytes on unchanged as they arrive. A sound has no place for an error, so a sound that breaks
 * off fails the stream, which closes the caller's connection. The sound up to that point is billed.
 */
export function streamSpeech(
  format: SpeechFormat,
  facts: SpeechFacts,
  priced: PricedRequest,
  { target, answer }: Answered<SpeechAnswer>,
): LiveStream<Buffer> {
  const meter = createSpeechMeter(format);
  return {
    parts: answer.audio,
    present(arrived) {
      for (const bytes of arrived) meter.addBytes(bytes);
      return arrived.length === 1 ? arrived[0]! : Buffer.concat(arrived);
    },
    isUnderWay: () => true,
    bill() {
      const { seconds } = meter;
      return {
        billed: {
          ...billSpeechNow(target.endpoint, priced, facts.tokens, (at) =>
            billOfSpeech(at, facts, seconds, answer.units),
          ),
          mediaPrompt: facts.references,
          mediaCompletion: 1,
          outputModalities: ['audio'],
          upstreamId: answer.upstreamId ?? null,
        },
      };
    },
    last(_bill, failure) {
      if (failure !== undefined) throw failure;
      return undefined;
    },
  };
}
