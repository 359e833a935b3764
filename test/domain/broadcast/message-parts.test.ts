import { expect, test } from '@jest/globals';
import { toolCall } from '../../../domain/broadcast/message-parts.ts';

test('arguments that are JSON become JSON', () => {
  expect(toolCall('call-1', 'search', '{"tags":["a",["b"]]}')).toMatchObject({
    arguments: { tags: ['a', ['b']] },
  });
});

test('arguments that are nested so deeply that an encoder would fail stay as they were written', () => {
  const nested = `${'['.repeat(6_000)}${']'.repeat(6_000)}`;
  const part = toolCall('call-1', 'search', nested);
  expect(part).toMatchObject({ arguments: nested });
  expect(() => JSON.stringify(part)).not.toThrow();
});
