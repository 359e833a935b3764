/** Checks the failures that only Bedrock has; those of all vendors are in vendor-failures.test.ts. */
import { describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { ProviderError } from '../../domain/provider-error.ts';
import type { ChatChunk } from '../../providers/chat-adapter.ts';
import { AWS_KEYS, frameOf, HELLO, refuse } from '../support/bedrock-cloud.ts';
import { sendJson } from '../support/vendor-server.ts';
import { newContext } from './connected-adapters.ts';
import { newRequest, setUpBedrock } from './bedrock-under-test.ts';
import { failureOf, wordsOf } from './text-adapter-under-test.ts';

const bedrock = setUpBedrock();
const FRAMES = 'application/vnd.amazon.eventstream';

describe('a failure', () => {
  async function failuresWith(answer: (response: ServerResponse) => void): Promise<ProviderError[]> {
    bedrock.cloud.answer = (_, response) => answer(response);
    return [await failureOf(bedrock.complete()), await failureOf(bedrock.stream())];
  }

  const NO_ACCESS = "You don't have access to the model with the specified model ID.";

  test.each<[number, string, string, string, boolean]>([
    [400, 'ValidationException', 'maxTokens: too many', 'invalid_request', false],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'not_found', false],
    [400, 'ValidationException', 'Output blocked by content filtering policy', 'content_policy', false],
    [400, 'ServiceQuotaExceededException', 'Too many tokens per day', 'rate_limited', true],
    [403, 'AccessDeniedException', 'User is not authorized to perform', 'unauthorized', false],
    [403, 'AccessDeniedException', NO_ACCESS, 'not_found', false],
    [403, 'ExpiredTokenException', 'The security token is expired', 'unauthorized', false],
    [404, 'ResourceNotFoundException', 'Model use case details have not been submitted', 'not_found', false],
    [424, 'ModelErrorException', 'Broken', 'server_error', true],
    [429, 'ModelNotReadyException', 'Not yet', 'rate_limited', true],
  ])('has the status %d for %s and "%s", and becomes %s', async (status, type, message, code, retryable) => {
    const errors = await failuresWith((response) => refuse(response, status, type, message));
    const isShown = code === 'invalid_request' || code === 'content_policy';
    for (const error of errors) {
      expect(error).toMatchObject({ code, status, retryable, isModelGone: code === 'not_found' });
      expect(error.publicMessage === message).toBe(isShown);
    }
  });

  test.each([
    ['throttlingException', 'rate_limited'],
    ['modelStreamErrorException', 'server_error'],
    ['internalServerException', 'server_error'],
    ['serviceUnavailableException', 'overloaded'],
    ['validationException', 'invalid_request'],
  ])('follows the words before it for %s in the middle of a stream, as %s', async (type, code) => {
    bedrock.cloud.answer = (_, response) => {
      response.setHeader('content-type', FRAMES);
      response.write(Buffer.concat(HELLO.slice(0, 2).map(([name, content]) => frameOf(name, content))));
      setImmediate(() => response.end(frameOf(type, { message: 'No.' })));
    };
    const seen: ChatChunk[] = [];
    const read = async (): Promise<void> => {
      const stream = await bedrock.provider().chat.stream(newRequest(), newContext());
      for await (const batch of stream) seen.push(...batch);
    };
    expect(await failureOf(read())).toMatchObject({ code });
    expect(wordsOf(seen)).toBe('Hello');
  });

  test('becomes invalid_response for an answer without content', async () => {
    const code = 'invalid_response';
    expect(await failuresWith((response) => sendJson(response, 200, {}))).toMatchObject([{ code }, { code }]);
  });

  test.each([
    ['with a wrong checksum', (frame: Buffer) => frame.fill(1, frame.length - 4)],
    ['that is too long', (frame: Buffer) => frame.fill(0x7f, 0, 4)],
    ['that is too short', (frame: Buffer) => frame.fill(0, 0, 4)],
  ])('becomes invalid_response for a frame %s', async (_, spoil) => {
    bedrock.cloud.answer = (_call, response) =>
      response.setHeader('content-type', FRAMES).end(spoil(frameOf(...HELLO[0]!)));
    expect(await failureOf(bedrock.stream())).toMatchObject({ code: 'invalid_response' });
  });

  test('never repeats a secret', async () => {
    const { secretAccessKey, sessionToken } = AWS_KEYS;
    const words = `The canonical string was x-amz-security-token:${sessionToken} ${secretAccessKey}`;
    const errors = await failuresWith((response) => refuse(response, 400, 'ValidationException', words));
    const told = errors.map(({ publicMessage, cause }) => `${publicMessage} ${String(cause)}`);
    for (const secret of [secretAccessKey, sessionToken]) expect(told.join()).not.toContain(secret);
  });
});
