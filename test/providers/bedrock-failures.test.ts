/** Checks every class of failure of Bedrock: what fails before the first word fails alike, whole and streamed. */
import { describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { ProviderError } from '../../domain/provider-error.ts';
import type { ChatChunk } from '../../providers/chat-adapter.ts';
import { AWS_KEYS, frameOf, refuse } from '../support/bedrock-cloud.ts';
import { eventually } from '../support/eventually.ts';
import { HELLO, newRequest, setUpBedrock } from './bedrock-under-test.ts';
import { failureOf, wordsOf } from './text-adapter-under-test.ts';

const bedrock = setUpBedrock();

describe('a failure', () => {
  async function failuresWith(answer: (response: ServerResponse) => void): Promise<ProviderError[]> {
    bedrock.cloud.answer = (_, response) => answer(response);
    return [await failureOf(bedrock.complete()), await failureOf(bedrock.stream())];
  }

  test.each<[number, string, string, string, boolean]>([
    [400, 'ValidationException', 'maxTokens: too many', 'invalid_request', false],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'not_found', false],
    [400, 'ValidationException', 'Output blocked by content filtering policy', 'content_policy', false],
    [400, 'ServiceQuotaExceededException', 'Too many tokens per day', 'rate_limited', true],
    [401, 'UnrecognizedClientException', 'The token is invalid', 'unauthorized', false],
    [403, 'AccessDeniedException', 'User is not authorized to perform', 'unauthorized', false],
    [
      403,
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
      'not_found',
      false,
    ],
    [403, 'ExpiredTokenException', 'The security token is expired', 'unauthorized', false],
    [
      404,
      'ResourceNotFoundException',
      'This model version has reached the end of its life.',
      'not_found',
      false,
    ],
    [404, 'ResourceNotFoundException', 'Model use case details have not been submitted', 'not_found', false],
    [408, 'ModelTimeoutException', 'Too slow', 'timeout', true],
    [424, 'ModelErrorException', 'Broken', 'server_error', true],
    [429, 'ThrottlingException', 'Too many requests', 'rate_limited', true],
    [429, 'ModelNotReadyException', 'Not yet', 'rate_limited', true],
    [500, 'InternalServerException', 'Broken', 'server_error', true],
    [503, 'ServiceUnavailableException', 'Busy', 'overloaded', true],
  ])('has the status %d for %s and "%s", and becomes %s', async (status, type, message, code, retryable) => {
    const errors = await failuresWith((response) => refuse(response, status, type, message));
    const isModelGone = code === 'not_found';
    expect(errors).toMatchObject([
      { code, status, retryable, isModelGone },
      { code, status, retryable, isModelGone },
    ]);
    const isShown = code === 'invalid_request' || code === 'content_policy';
    expect(errors.map((error) => error.publicMessage === message)).toEqual([isShown, isShown]);
  });

  test.each([
    ['7', 7_000],
    [undefined, undefined],
  ])('keeps Retry-After %s', async (header, retryAfterMs) => {
    const errors = await failuresWith((response) => {
      if (header !== undefined) response.setHeader('retry-after', header);
      refuse(response, 429, 'ThrottlingException', 'Slow down');
    });
    expect(errors.map((error) => error.retryAfterMs)).toEqual([retryAfterMs, retryAfterMs]);
  });

  test.each([
    ['throttlingException', 'rate_limited'],
    ['modelStreamErrorException', 'server_error'],
    ['internalServerException', 'server_error'],
    ['serviceUnavailableException', 'overloaded'],
    ['validationException', 'invalid_request'],
  ])('follows the words before it for %s in the middle of a stream, as %s', async (type, code) => {
    bedrock.cloud.answer = (_, response) => {
      response.setHeader('content-type', 'application/vnd.amazon.eventstream');
      response.write(Buffer.concat(HELLO.slice(0, 2).map(([name, content]) => frameOf(name, content))));
      setImmediate(() => response.end(frameOf(type, { message: 'No.' })));
    };
    const seen: ChatChunk[] = [];
    const read = async (): Promise<void> => {
      for await (const batch of await bedrock.provider().chat!.stream(newRequest(), bedrock.newContext()))
        seen.push(...batch);
    };
    expect(await failureOf(read())).toMatchObject({ code });
    expect(wordsOf(seen)).toBe('Hello');
  });

  test.each<[string, (response: ServerResponse) => void, string]>([
    [
      'HTML',
      (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad</h1>'),
      'server_error',
    ],
    [
      'HTML as a success',
      (response) => response.setHeader('content-type', 'text/html').end('<h1>Hi</h1>'),
      'invalid_response',
    ],
    ['a cut connection', (response) => response.destroy(), 'connection_lost'],
    [
      'no content',
      (response) => response.setHeader('content-type', 'application/json').end('{}'),
      'invalid_response',
    ],
  ])('tells about %s', async (_, answer, code) => {
    expect(await failuresWith(answer)).toMatchObject([{ code }, { code }]);
  });

  test.each([
    ['with a wrong checksum', (frame: Buffer) => frame.fill(1, frame.length - 4)],
    ['that is too long', (frame: Buffer) => frame.fill(0x7f, 0, 4)],
    ['that is too short', (frame: Buffer) => frame.fill(0, 0, 4)],
  ])('becomes invalid_response for a frame %s', async (_, spoil) => {
    bedrock.cloud.answer = (_call, response) => {
      response.setHeader('content-type', 'application/vnd.amazon.eventstream');
      response.end(spoil(frameOf(...HELLO[0]!)));
    };
    expect(await failureOf(bedrock.stream())).toMatchObject({ code: 'invalid_response' });
  });

  test('comes after a silent vendor’s timeout, and closes the connection', async () => {
    let closed = 0;
    bedrock.cloud.answer = (_, response) => void response.once('close', () => (closed += 1));
    const chat = bedrock.provider().chat!;
    const timeouts = { firstByteMs: 50, attemptMs: 50 };
    expect(await failureOf(chat.complete(newRequest(), bedrock.newContext(timeouts)))).toMatchObject({
      code: 'timeout',
    });
    expect(await failureOf(chat.stream(newRequest(), bedrock.newContext(timeouts)))).toMatchObject({
      code: 'timeout',
    });
    await eventually('both connections close', async () => closed === 2);
  });

  test('never repeats a secret', async () => {
    const { secretAccessKey, sessionToken } = AWS_KEYS;
    const words = `The canonical string was x-amz-security-token:${sessionToken} ${secretAccessKey}`;
    for (const error of await failuresWith((response) =>
      refuse(response, 400, 'ValidationException', words),
    )) {
      const text = `${error.publicMessage} ${String(error.cause)}`;
      expect([text.includes(sessionToken), text.includes(secretAccessKey)]).toEqual([false, false]);
    }
  });
});
