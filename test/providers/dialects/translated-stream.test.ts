import { expect, test } from '@jest/globals';
import { translateStream } from '../../../providers/dialects/translated-stream.ts';

test("a vendor's stream is closed when its translation fails", async () => {
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
