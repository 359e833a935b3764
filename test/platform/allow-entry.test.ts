import { expect, test } from '@jest/globals';
import { allowEntryFor } from '../../platform/allow-entry.ts';

test.each([
  ['http://vllm.example:8000/v1', 'vllm.example'],
  ['https://GPU.internal./v1', 'gpu.internal'],
  ['https://10.1.2.3/v1', '10.1.2.3/32'],
  ['http://0x7f.1/v1', '127.0.0.1/32'],
  ['http://8.8.8.8/v1', '8.8.8.8/32'],
  ['http://[fd12::1]:8000', 'fd12::1/128'],
  ['http://localhost:11434/v1', '127.0.0.1/32'],
])('the entry that opens %s is %s', (url, entry) => {
  expect(allowEntryFor(url)).toBe(entry);
});

test.each([
  'https://169.254.169.254/',
  'https://[::ffff:169.254.169.254]/',
  'https://metadata.google.internal/',
  'https://user:password@10.0.0.1/',
  'ftp://10.0.0.1/',
  'no url',
])('no entry opens %s', (url) => {
  expect(allowEntryFor(url)).toBeUndefined();
});
