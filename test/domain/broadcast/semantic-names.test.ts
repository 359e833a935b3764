import { describe, expect, test } from '@jest/globals';
import type { AttributeValue } from '../../../domain/broadcast/attribute.ts';
import { spanAttributes } from '../../../domain/broadcast/attributes.ts';
import { composeSpan, operationOf } from '../../../domain/broadcast/compose-span.ts';
import { providerName } from '../../../domain/broadcast/provider-name.ts';
import {
  CONVENTIONS_REVISION,
  GEN_AI,
  SLUICE,
  UNOFFICIAL,
} from '../../../domain/broadcast/semantic-names.ts';
import type { ApiType } from '../../../domain/ledger/generation.ts';
import { broadcastEvent, CONTENT, IDS, openRules } from './broadcast-event.ts';
import {
  REGISTERED_OPERATIONS,
  REGISTERED_PROVIDERS,
  REGISTRY,
  REGISTRY_REVISION,
} from './conventions-registry.ts';

const KINDS: ApiType[] = ['completions', 'embeddings', 'rerank', 'image', 'tts', 'video'];

describe('the names of the conventions', () => {
  test('belong to the registry at the pinned revision', () => {
    expect(CONVENTIONS_REVISION).toBe(REGISTRY_REVISION);
    const unknown = Object.values(GEN_AI).filter((name) => !REGISTRY.has(name));
    expect(unknown).toEqual([]);
  });

  test('leave out the unofficial names', () => {
    for (const name of Object.values(UNOFFICIAL)) expect(REGISTRY.has(name)).toBe(false);
  });

  test('occur once each', () => {
    const names = [...Object.values(GEN_AI), ...Object.values(SLUICE), ...Object.values(UNOFFICIAL)];
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(KINDS)('include the operation of %s', (apiType) => {
    expect(REGISTERED_OPERATIONS).toContain(operationOf(apiType).operation);
  });

  test.each([
    'amazon-bedrock',
    'azure',
    'google-ai-studio',
    'mistral',
    'moonshotai',
    'watsonx',
    'xai',
    'cohere',
  ])('include the provider %s', (slug) => {
    expect(REGISTERED_PROVIDERS).toContain(providerName(slug));
  });
});

describe('the official attributes of a span', () => {
  test.each(KINDS)('have registered names and types for %s', (apiType) => {
    const attributes = spanAttributes(composeSpan(fullEvent(apiType), openRules(), IDS));
    const official = Object.entries(attributes).filter(([name]) => name.startsWith('gen_ai.'));
    expect(official.length).toBeGreaterThan(20);
    for (const [name, value] of official) {
      if (name !== UNOFFICIAL.cost) expect([name, isOfType(value, REGISTRY.get(name))]).toEqual([name, true]);
    }
  });
});

function fullEvent(apiType: ApiType): ReturnType<typeof broadcastEvent> {
  const usage = { prompt: 9, completion: 8, reasoning: 1, cacheRead: 2, cacheWrite: 3 };
  const parameters = { temperature: 0.5, topP: 0.9, topK: 4, maxTokens: 50, seed: 7, choiceCount: 2 };
  const others = {
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
    stopSequences: ['x'],
    reasoningEffort: 'low',
  };
  return broadcastEvent({
    apiType,
    usage: { ...usage, promptAudio: 1, promptImage: 1, completionAudio: 1, completionImage: 1 },
    facts: { hasContent: true, parameters: { ...parameters, ...others } },
    content: { ...CONTENT, system: 'system', tools: [{ type: 'function', function: { name: 'f' } }] },
  });
}

function isOfType(value: AttributeValue, type: string | undefined): boolean {
  if (type === 'int') return Number.isInteger(value);
  if (type === 'double') return typeof value === 'number';
  if (type === 'string[]') return Array.isArray(value);
  if (type === 'any') return typeof value === 'string' && Array.isArray(JSON.parse(value));
  return typeof value === type;
}
