import { describe, expect, test } from '@jest/globals';
import { matchesFilter, type ModelFilter } from '../../../domain/catalog/model-filter.ts';
import { makeListedModel } from '../../support/listed-models.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_000 * DAY_MS;
const facts = { nowMs: NOW_MS, providerName: (slug: string) => `${slug} Inc.` };

const model = makeListedModel(
  {
    id: 'Maker/Fast-1',
    canonicalSlug: 'maker/fast-1-2026',
    name: 'Maker: Fast One',
    aliases: ['maker/fastest'],
    inputModalities: ['text', 'image'],
    outputModalities: ['text', 'image'],
    contextLength: 8_192,
    tokenizer: 'GPT',
    categories: ['legal'],
    benchmarks: {
      intelligenceIndex: 50,
      codingIndex: null,
      agenticIndex: 0,
      toolSuccessRate: 0.9,
      designArena: [],
    },
    createdAt: new Date(NOW_MS - 10 * DAY_MS),
  },
  {
    providerSlug: 'first',
    pricing: { prompt: '0.0000025', completion: '0.00001' },
    supportedParameters: ['tools'],
  },
  {
    providerSlug: 'second',
    region: 'europe',
    zdr: true,
    collectsData: false,
    distillable: true,
    supportedParameters: ['seed', 'top_p'],
  },
);
const unknown = makeListedModel({ id: 'a/unknown' });

const ALL_OF_SECOND: ModelFilter = {
  zdr: true,
  distillable: true,
  region: 'europe',
  providers: ['second'],
  supportedParameters: ['seed'],
};

/** The filter, whether it keeps the model above, and one of which nothing is known. */
const CASES: [name: string, filter: ModelFilter, model: boolean, unknown: boolean][] = [
  ['nothing', {}, true, true],
  ['its category', { category: 'legal' }, true, false],
  ['another category', { category: 'health' }, false, false],
  ['parameters of one endpoint', { supportedParameters: ['seed', 'top_p'] }, true, false],
  ['parameters of different endpoints', { supportedParameters: ['tools', 'seed'] }, false, false],
  ['a parameter too many', { supportedParameters: ['tools', 'top_k'] }, false, false],
  ['all that it reads', { inputModalities: ['image', 'text'] }, true, false],
  ['more than it reads', { inputModalities: ['image', 'audio'] }, false, false],
  ['any of what it makes', { outputModalities: ['audio', 'image'] }, true, false],
  ['what it does not make', { outputModalities: ['audio'] }, false, false],
  ['words of its name', { text: 'one  maker' }, true, false],
  ['a part of its alias', { text: 'fastest' }, true, false],
  ['a word of its slug and one of nothing', { text: '2026 slow' }, false, false],
  ['as much context as it has', { minContext: 8_192 }, true, false],
  ['more context', { minContext: 8_193 }, false, false],
  ['exactly its price', { promptPrice: { min: 2.5, max: 2.5 } }, true, false],
  ['less than its price', { promptPrice: { max: 2.4999 } }, false, true],
  ['exactly its price of what it makes', { completionPrice: { min: 10, max: 10 } }, true, false],
  ['its family', { family: 'gpt' }, true, false],
  ['no family that is known', { family: 'other' }, false, true],
  ['its author among others', { authors: ['a', 'maker'] }, true, true],
  ['another author', { authors: ['make'] }, false, false],
  ['a provider by slug', { providers: ['second'] }, true, false],
  ['a provider by name', { providers: ['first inc.'] }, true, false],
  ['another provider', { providers: ['fir'] }, false, false],
  ['what may be distilled', { distillable: true }, true, false],
  ['what may not be distilled', { distillable: false }, false, true],
  ['no retention', { zdr: true }, true, false],
  ['its region', { region: 'europe' }, true, false],
  ['all that one endpoint is', ALL_OF_SECOND, true, false],
  ['no retention, at an endpoint that retains', { zdr: true, providers: ['first'] }, false, false],
  [
    'its region, where a parameter is not taken',
    { region: 'europe', supportedParameters: ['tools'] },
    false,
    false,
  ],
  [
    'what may be distilled, at an endpoint that forbids it',
    { distillable: true, providers: ['first'] },
    false,
    false,
  ],
  ['what may not be distilled, anywhere', { distillable: false, providers: ['first'] }, false, false],
  ['another region', { region: 'us' }, false, false],
  ['exactly its age', { ageDays: { min: 10, max: 10 } }, true, false],
  ['older models', { ageDays: { min: 10.01 } }, false, true],
  ['an index that it has', { intelligenceIndex: { min: 50 } }, true, false],
  ['an index that nobody measured, at any value', { codingIndex: { min: -1_000 } }, false, false],
  ['an index that is zero', { agenticIndex: { max: 0 } }, true, false],
  ['a rate above its own', { toolSuccessRate: { min: 0.91 } }, false, false],
  ['no end of a range', { toolSuccessRate: { min: undefined, max: undefined } }, true, true],
];

describe('a filter of models', () => {
  test.each(CASES)(
    'keeps or drops a known and an unknown model: %s',
    (_name, filter, keepsModel, keepsUnknown) => {
      expect(matchesFilter(model, filter, facts)).toBe(keepsModel);
      expect(matchesFilter(unknown, filter, facts)).toBe(keepsUnknown);
    },
  );
});
