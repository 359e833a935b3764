/** Checks the adapter of Bedrock in front of a stand-in for AWS that others wrote. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Aimock, AIMOCK_ANSWER, AIMOCK_KEY, AIMOCK_QUESTION, startAimock } from '../support/aimock.ts';
import { newRequest, setUpBedrock } from './bedrock-under-test.ts';
import { chunksOf, failureOf, wordsOf } from './text-adapter-under-test.ts';

const bedrock = setUpBedrock();
const request = newRequest({ messages: [{ role: 'user', content: AIMOCK_QUESTION }] });

let server: Aimock;
beforeAll(async () => {
  server = await startAimock();
});
afterAll(() => server.close());

const chat = (key = AIMOCK_KEY) => bedrock.provider(key, server.origin).chat!;

test('Bedrock of aimock answers a chat, whole and in frames', async () => {
  expect(await chat().complete(request, bedrock.newContext())).toMatchObject({
    choices: [{ finish_reason: 'stop', message: { content: AIMOCK_ANSWER } }],
  });
  const chunks = await chunksOf(await chat().stream(request, bedrock.newContext()));
  expect(wordsOf(chunks)).toBe(AIMOCK_ANSWER);
});

test('Bedrock of aimock refuses a wrong key as unauthorized', async () => {
  const wrong = chat('wrong-0123456789abcdef');
  const refused = { code: 'unauthorized', status: 401 };
  expect(await failureOf(wrong.complete(request, bedrock.newContext()))).toMatchObject(refused);
  expect(await failureOf(wrong.stream(request, bedrock.newContext()))).toMatchObject(refused);
});
