import { expect, test } from '@jest/globals';
import { checkHost, send } from '../../../../services/interns/egress/send.ts';
import { closeAfterEach, guardWith } from '../../../platform/outbound-setup.ts';
import { startTestHost } from '../../../support/egress-scene.ts';
import { freeMemory } from '../../../support/free-answer.ts';

closeAfterEach();

test('a response that cannot be masked is recorded, and its connection is closed', async () => {
  const host = await startTestHost();
  const closed = Promise.withResolvers<void>();
  host.answer((_request, response) => {
    response.once('close', closed.resolve);
    response.write('begun');
  });
  const fail = (): never => {
    throw new Error('the mask is broken');
  };
  const ends: unknown[] = [];
  const guard = guardWith({ onlyPort443: true });
  const sent = send({
    guard,
    url: checkHost(guard, new URL(`https://${host.at()}/`)),
    pathAndQuery: '/',
    method: 'GET',
    headers: {},
    body: Buffer.alloc(0),
    mask: { open: fail, replace: fail, isInName: () => false },
    memory: freeMemory(),
    gone: new AbortController().signal,
    timeoutMs: undefined,
    end: (...end) => ends.push(end),
  });
  await expect(sent).rejects.toThrow('the mask is broken');
  expect(ends).toEqual([[200, 0]]);
  await closed.promise;
  await host.close();
});
