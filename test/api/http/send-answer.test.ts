import { expect, test } from '@jest/globals';
import type { ApiContext } from '../../../api/http/context.ts';
import { sendAnswer } from '../../../api/http/send-answer.ts';
import { ReadyJson } from '../../../platform/ready-json.ts';
import { closeAfterEach, serve } from '../../platform/outbound-setup.ts';

closeAfterEach();

test('an answer that cannot be written is cut alone, and reported', async () => {
  const errors: unknown[] = [];
  const contexts = new Map<string | undefined, ApiContext>();
  const { origin } = await serve((req, res) => {
    const app = { emit: (_event: string, error: unknown) => errors.push(error) };
    contexts.set(req.url, { req, res, app, state: {} } as unknown as ApiContext);
    if (contexts.size < 2) return;
    // A piece of a type that has a length and cannot be written.
    const broken = new ReadyJson([new ArrayBuffer(2) as never]);
    void sendAnswer(contexts.get('/broken')!, { status: 200, body: broken });
    void sendAnswer(contexts.get('/whole')!, { status: 200, body: { data: 1 } });
  });
  const ask = (path: string): Promise<string> => fetch(origin + path).then((answer) => answer.text());
  const [broken, whole] = await Promise.allSettled([ask('/broken'), ask('/whole')]);
  expect(whole).toEqual({ status: 'fulfilled', value: '{"data":1}' });
  expect(broken.status).toBe('rejected');
  expect(errors).toEqual([expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' })]);
});
