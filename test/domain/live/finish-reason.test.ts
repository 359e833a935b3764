import { describe, expect, test } from '@jest/globals';
import { nameFinish, normalFinishReason } from '../../../domain/live/finish-reason.ts';

describe('the finish reason', () => {
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
  ])('%s becomes %s', (native, normal) => {
    expect(normalFinishReason(native)).toBe(normal);
  });

  test('stays null while there is none', () => {
    expect(normalFinishReason(null)).toBeNull();
    expect(normalFinishReason(undefined)).toBeNull();
  });

  test("stands beside the upstream's native reason", () => {
    const choice = { finish_reason: 'max_tokens' };
    nameFinish(choice);
    expect(choice).toEqual({ finish_reason: 'length', native_finish_reason: 'max_tokens' });
  });

  test('keeps a native reason that the upstream passed on', () => {
    const choice = { finish_reason: 'stop', native_finish_reason: 'end_turn' };
    nameFinish(choice);
    expect(choice).toEqual({ finish_reason: 'stop', native_finish_reason: 'end_turn' });
  });

  test('has no native reason while it is null', () => {
    const choice = { finish_reason: null };
    nameFinish(choice);
    expect(choice).toEqual({ finish_reason: null });
  });
});
