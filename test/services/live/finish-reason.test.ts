import { describe, expect, test } from '@jest/globals';
import { nameFinish, normalFinishReason } from '../../../services/live/finish-reason.ts';

describe('a finish reason', () => {
  test.each([
    ['stop', 'stop'],
    ['tool_use', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['refusal', 'content_filter'],
    ['abort', 'error'],
    ['eos_token', 'stop'],
    ['constructor', 'stop'],
  ])('%s is %s', (native, normal) => {
    expect(normalFinishReason(native)).toBe(normal);
  });

  test('is null until there is one', () => {
    expect(normalFinishReason(null)).toBeNull();
    expect(normalFinishReason(undefined)).toBeNull();
  });

  test('is shown beside the upstream’s own word', () => {
    const choice = { finish_reason: 'max_tokens' };
    nameFinish(choice);
    expect(choice).toEqual({ finish_reason: 'length', native_finish_reason: 'max_tokens' });
  });

  test('that an upstream passes on keeps the word that it came from', () => {
    const choice = { finish_reason: 'stop', native_finish_reason: 'end_turn' };
    nameFinish(choice);
    expect(choice).toEqual({ finish_reason: 'stop', native_finish_reason: 'end_turn' });
  });

  test('that is none has no word beside it', () => {
    const choice = { finish_reason: null };
    nameFinish(choice);
    expect(choice).toEqual({ finish_reason: null });
  });
});
