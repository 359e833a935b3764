import { expect, test } from '@jest/globals';
import { translateStream } from '../../../../services/live/dialects/translated-stream.ts';

test('a stream that cannot be translated is closed at the vendor', async () => {
  let isClosed = false;
  async function* endless(): AsyncGenerator<number[]> {
    try {
      for (;;) yield [1];
    } finally {
      isClosed = true;
    }
  }
  const translator = {
    translate(): string[] {
      throw new Error('untold');
    },
    end: () => [],
  };
  await expect(translateStream(endless(), translator).next()).rejects.toThrow('untold');
  expect(isClosed).toBe(true);
});
