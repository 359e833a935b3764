import { expect, test } from '@jest/globals';
import { limitFacts } from '../../../domain/broadcast/limit-facts.ts';

const large = 'x'.repeat(12_000);

test('facts below 16 KiB are kept as they are', () => {
  const facts = { requestModel: 'a/b', trace: { team: 'shop', note: large }, parameters: { temperature: 1 } };
  expect(limitFacts(facts)).toBe(facts);
});

test('of a trace that is too large, the largest keys go and the others stay', () => {
  const facts = limitFacts({ requestModel: 'a/b', trace: { one: large, two: `${large}y`, team: 'shop' } });
  expect(facts).toEqual({ requestModel: 'a/b', trace: { one: large, team: 'shop' } });
});

test('parameters that are too large by themselves go too', () => {
  const stopSequences = Array.from({ length: 2_000 }, () => 'a long stop sequence');
  const facts = limitFacts({ parameters: { stopSequences }, trace: { team: 'shop' }, hasContent: true });
  expect(facts).toEqual({ parameters: {}, trace: {}, hasContent: true });
});
