import { expect, test } from '@jest/globals';
import { ReadyJson } from '../../platform/ready-json.ts';

test('an answer whose compression failed is compressed at the next request', async () => {
  let count = 0;
  const gzip = async (bytes: Buffer): Promise<Buffer> => {
    count += 1;
    if (count === 1) throw new Error('no memory');
    return bytes;
  };
  const json = new ReadyJson(['{"a":', '1}'], { gzip, br: gzip });
  await expect(json.compressed('gzip')).rejects.toThrow('no memory');
  expect(await json.compressed('gzip')).toEqual(Buffer.from('{"a":1}'));
  expect(await json.compressed('gzip')).toBe(await json.compressed('gzip'));
  expect(count).toBe(2);
});
