import { expect, test } from '@jest/globals';
import { toolCall } from '../../../domain/broadcast/message-parts.ts';

test('JSON arguments of a tool call become JSON values', () => {
  expect(toolCall('call-1', 'search', '{"tags":["a",["b"]]}')).toMatchObject({
    arguments: { tags: ['a', ['b']] },
  });
});

test('tool arguments nested too deep for an encoder stay a string', () => {
  const nested = `${'['.repeat(6_000)}${']'.repeat(6_000)}`;
  const part = toolCall('call-1', 'search', nested);
  expect(part).toMatchObject({ arguments: nested });
  expect(() => JSON.stringify(part)).not.toThrow();
});
