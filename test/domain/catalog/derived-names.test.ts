import { describe, expect, test } from '@jest/globals';
import { type NamedModel, resolveNames } from '../../../domain/catalog/derived-names.ts';

function model(id: string, change: Partial<NamedModel> = {}): NamedModel {
  const created = { canonicalSlug: id, aliases: [], createdAt: new Date('2025-01-01') };
  return { id, ...created, upstreamModelIds: [], rank: 2, ...change };
}

const HAIKU = model('anthropic/claude-haiku-4.5', {
  canonicalSlug: 'anthropic/claude-haiku-4.5-20251001',
  upstreamModelIds: ['claude-haiku-4-5-20251001', 'anthropic.claude-haiku-4-5-20251001-v1:0'],
  createdAt: new Date('2025-10-15'),
});
const OPUS = model('anthropic/claude-opus-5.5', { upstreamModelIds: ['claude-opus-5-5'] });
const GPT = model('openai/gpt-5.1', {
  canonicalSlug: 'openai/gpt-5.1-2025-11-13',
  upstreamModelIds: ['gpt-5.1', 'gpt-5.1'],
  createdAt: new Date('2025-11-13'),
});
const MINI = model('openai/gpt-5-mini', { upstreamModelIds: ['gpt-5-mini'] });
const MODELS = [HAIKU, OPUS, GPT, MINI, model('openai/gpt-5.1:free', { upstreamModelIds: ['gpt-5.1'] })];

describe('the list of names of a model', () => {
  const names = resolveNames(MODELS);

  test.each([
    ['its id', 'openai/gpt-5.1', GPT],
    ['its canonical slug', 'openai/gpt-5.1-2025-11-13', GPT],
    ['its name without the author', 'gpt-5.1', GPT],
    ["the vendor's own name", 'claude-opus-5-5', OPUS],
    ["the vendor's own name behind the author", 'anthropic/claude-opus-5-5', OPUS],
    ["the vendor's own name with a date", 'claude-haiku-4-5-20251001', HAIKU],
    ["the vendor's own name without its date", 'anthropic/claude-haiku-4-5', HAIKU],
    ['a name of a reseller', 'anthropic.claude-haiku-4-5-20251001-v1:0', HAIKU],
    ["the slug's date behind the vendor's name", 'gpt-5.1-2025-11-13', GPT],
    ['the date in the other spelling', 'openai/gpt-5.1-20251113', GPT],
    ['the latest of a name', 'openai/gpt-5.1-latest', GPT],
    ['the latest of a family', 'anthropic/claude-haiku-latest', HAIKU],
    ['the latest of a family, without its author', 'claude-opus-latest', OPUS],
    ['the latest of a family with a size', 'openai/gpt-mini-latest', MINI],
  ])('includes %s', (_what, name, { id }) => {
    expect(names.get(name)).toBe(id);
  });

  test.each([
    ['another date', 'openai/gpt-5.1-2026-01-01'],
    ['another author', 'acme/gpt-5.1'],
    ['a family without `-latest`', 'claude-opus'],
    ['another version', 'openai/gpt-6.1-latest'],
  ])('excludes %s', (_what, name) => {
    expect(names.get(name)).toBeUndefined();
  });
});

describe('a name that several models could have', () => {
  test('belongs to the model that states it', () => {
    const names = resolveNames([
      model('a/x', { aliases: ['y'], upstreamModelIds: ['b/y', 'z'] }),
      model('b/y', { upstreamModelIds: ['z-2'] }),
      model('c/z', { aliases: ['z'] }),
    ]);
    expect(['y', 'b/y', 'z'].map((name) => names.get(name))).toEqual(['a/x', 'b/y', 'c/z']);
  });

  test('names none of them if no model states it', () => {
    const names = resolveNames([
      model('a/x', { upstreamModelIds: ['shared'] }),
      model('b/x', { upstreamModelIds: ['shared'] }),
      model('c/x-2025-01-01'),
    ]);
    expect(['x', 'shared', 'x-latest'].map((name) => names.get(name))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(names.get('c/x')).toBe('c/x-2025-01-01');
  });

  test('names the one that states it with an author, if others have it from their vendors', () => {
    const names = resolveNames([
      model('a/x', { upstreamModelIds: ['x'] }),
      model('a/x-large', { upstreamModelIds: ['x'] }),
    ]);
    expect(names.get('x')).toBe('a/x');
  });

  test('names the one that the deployment can reach', () => {
    const names = resolveNames([model('a/x', { rank: 1 }), model('b/x'), model('c/x', { rank: 0 })]);
    expect(names.get('x')).toBe('b/x');
    expect(names.get('a/x')).toBe('a/x');
  });

  test('names the undated model before a dated one', () => {
    const names = resolveNames([model('a/x-2025-01-01'), model('a/x-2026-01-01'), model('a/x')]);
    expect(['x', 'a/x', 'x-20250101'].map((name) => names.get(name))).toEqual([
      'a/x',
      'a/x',
      'a/x-2025-01-01',
    ]);
  });
});

describe('-latest', () => {
  const at = (id: string, day: string, change: Partial<NamedModel> = {}) =>
    model(id, { createdAt: new Date(day), ...change });

  test('names the newest release of the family', () => {
    const names = resolveNames([
      at('a/sonnet-4', '2025-01-01'),
      at('a/sonnet-5.5', '2026-01-01'),
      at('a/sonnet-4.5', '2025-06-01'),
      at('a/sonnet-5.5:free', '2026-06-01'),
      at('a/sonnet-5.5-mini', '2026-06-01'),
    ]);
    expect(names.get('a/sonnet-latest')).toBe('a/sonnet-5.5');
    expect(names.get('a/sonnet-4-latest')).toBe('a/sonnet-4');
  });

  test('names none of several models that were released together', () => {
    const names = resolveNames([at('a/sonnet-4', '2025-01-01'), at('a/sonnet-5', '2025-01-01')]);
    expect(names.get('a/sonnet-latest')).toBeUndefined();
  });

  test('names the model to which the catalog gives it', () => {
    const older = at('a/sonnet-4', '2025-01-01', { aliases: ['a/sonnet-latest'] });
    const names = resolveNames([older, at('a/sonnet-5', '2026-01-01')]);
    expect(names.get('a/sonnet-latest')).toBe('a/sonnet-4');
  });
});
