import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import {
  billOfSpeech,
  billEstimatedSpeech,
  mostOfSpeech,
  type SpeechFacts,
} from '../../../services/live/speech/speech-facts.ts';

function endpoint(tokensPerSecond: number | undefined, pricing: object): LiveEndpoint {
  return {
    pricing: { prompt: '0', completion: '0', ...pricing },
    speech: { tokensPerSecond },
  } as LiveEndpoint;
}

const FACTS: SpeechFacts = { characters: 40, tokens: 10, references: 0, modalities: ['text'] };

describe('speech by tokens', () => {
  test('costs the tokens of its seconds, rounded up to a whole token', () => {
    const bill = billOfSpeech(endpoint(25, { prompt: '0.000001', audioOutput: '0.00002' }), FACTS, 2.5);
    expect(bill.usage).toEqual({ prompt: 10, completion: 63, completionAudio: 63 });
    expect(bill.costNanos).toBe(1_270_000n);
  });

  test('costs the price of the completion where sound has no price of its own', () => {
    const bill = billOfSpeech(endpoint(25, { completion: '0.00001' }), FACTS, 2);
    expect([bill.usage?.completion, bill.costNanos]).toEqual([50, 500_000n]);
  });

  test('costs no tokens of sound without a documented number', () => {
    const bill = billOfSpeech(endpoint(undefined, { completion: '0.00001' }), FACTS, 2);
    expect(bill.costNanos).toBe(0n);
  });

  test('reserves at least what the sound within the expected seconds costs', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.float({ min: 0, max: 1, noNaN: true }),
        (tokens, part) => {
          const priced = endpoint(25, { prompt: '0.000001', audioOutput: '0.00002' });
          const facts = { ...FACTS, tokens };
          const { costNanos } = billOfSpeech(priced, facts, part * tokens * 0.3);
          const estimate = billEstimatedSpeech(priced, facts).costNanos;
          expect(costNanos <= estimate && estimate <= mostOfSpeech(priced, facts)).toBe(true);
        },
      ),
    );
  });
});
