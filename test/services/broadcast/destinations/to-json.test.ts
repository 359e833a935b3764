import { expect, test } from '@jest/globals';
import { sendToDestination } from '../../../../services/broadcast/destinations/send-to-destination.ts';
import { toJson } from '../../../../services/broadcast/destinations/to-json.ts';
import { closeAfterEach } from '../../../platform/outbound-setup.ts';
import { batchOf, depsWith, doorTo, NEVER, startTool } from './fake-tool.ts';
import { makeSpan } from './make-span.ts';
import { otherVendors } from './other-vendors.ts';

closeAfterEach();

test.each([
  ['a half of a character', 'a\ud800b', 'a\ufffdb'],
  ['the other half', '\udfff', '\ufffd'],
  ['a whole character', '😀', '😀'],
  ['the letters of an escape', '\\ud800', '\\ud800'],
  ['a backslash before a half', '\\\ud800', '\\\ufffd'],
])('toJson writes %s as valid Unicode', (_what, text, read) => {
  expect(JSON.parse(toJson({ text }))).toEqual({ text: read });
});

test.each(Object.keys(otherVendors))('%s gets no half of a surrogate pair', async (type) => {
  const vendor = otherVendors[type]!;
  const tool = await startTool(vendor.answer);
  const half = 'cut\ud83d';
  const content = { input: [{ role: 'user', content: half }], output: [half], outputText: half };
  const span = makeSpan({ sessionId: half, metadata: { [half]: half }, content });
  const deps = depsWith(doorTo(tool, vendor.fixedOrigin));
  const outcome = await sendToDestination(vendor.configure(tool.origin), batchOf(span), deps, NEVER);
  expect(outcome).toMatchObject({ kind: 'delivered' });
  expect(tool.received[0]!.body.toString('utf8')).not.toContain('\\ud83d');
});
