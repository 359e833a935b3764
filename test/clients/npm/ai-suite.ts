import { beforeAll, describe, expect, test } from '@jest/globals';
import { APICallError, generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import type { Gateway } from '../../support/gateway.ts';
import { expectCancelled, generationIds } from '../cancelled.ts';
import { PNG } from './picture.ts';

/**
 * Tests everything that `ai` does with a language model, which `make` builds with the client's own provider. Some
 * providers report no failure in the middle of a stream but by its finish reason.
 */
export function testLanguageModel(
  name: string,
  gateway: () => Gateway,
  make: (model: string, apiKey?: string) => LanguageModel,
  { reportsFailures = true } = {},
): void {
  const echo = (apiKey?: string) => make('local/echo-1', apiKey);
  const weather = tool({
    description: 'Tells the weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `rain in ${city}`,
  });
  const question = 'What is the weather {"city": "Bergen"}?';

  describe(name, () => {
    beforeAll(() => {
      // The warnings about limits of unknown models say nothing about the gateway.
      globalThis.AI_SDK_LOG_WARNINGS = false;
    });

    test('completes a conversation', async () => {
      const { text, usage, finishReason } = await generateText({ model: echo(), prompt: 'Hello there' });
      expect({ text, finishReason }).toEqual({ text: 'You said: Hello there', finishReason: 'stop' });
      expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0));
      expect(usage.outputTokens).toBeGreaterThan(0);
    });

    test('streams an answer in pieces', async () => {
      const result = streamText({ model: echo(), prompt: 'Hello there' });
      const pieces: string[] = [];
      for await (const piece of result.textStream) pieces.push(piece);
      expect(pieces.join('')).toBe('You said: Hello there');
      expect(pieces.length).toBeGreaterThan(1);
      expect((await result.usage).outputTokens).toBeGreaterThan(0);
    });

    test('runs a tool and answers with its result', async () => {
      const { text, steps } = await generateText({
        model: echo(),
        prompt: question,
        tools: { weather },
        stopWhen: stepCountIs(3),
      });
      expect(steps[0]?.toolCalls).toMatchObject([{ toolName: 'weather', input: { city: 'Bergen' } }]);
      expect(text).toBe('The tool said: rain in Bergen');
    });

    test('runs a tool in a stream', async () => {
      const result = streamText({
        model: echo(),
        prompt: question,
        tools: { weather },
        stopWhen: stepCountIs(3),
      });
      await result.consumeStream();
      expect(await result.text).toBe('The tool said: rain in Bergen');
    });

    test('gets an object that fits a schema', async () => {
      const schema = z.object({ city: z.string(), degrees: z.int().min(4) });
      const { output } = await generateText({
        model: echo(),
        prompt: 'Bergen',
        output: Output.object({ schema }),
      });
      expect(output).toEqual({ city: 'Bergen', degrees: 4 });
    });

    test('shows a picture to the model', async () => {
      const { text } = await generateText({
        model: echo(),
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look:' },
              { type: 'image', image: PNG, mediaType: 'image/png' },
            ],
          },
        ],
      });
      expect(text).toBe('You said: Look: [image_url]');
    });

    test('throws the client’s own error for a wrong key and for a wrong request', async () => {
      const ask = (model: LanguageModel, topP = 1) =>
        generateText({ model, prompt: 'Hello', maxRetries: 0, topP }).catch((error: unknown) => error);
      const wrongKey = await ask(echo('sk-slc-wrong'));
      expect(APICallError.isInstance(wrongKey)).toBe(true);
      expect(wrongKey).toMatchObject({ statusCode: 401, message: expect.stringMatching(/\w/) });
      const wrongRequest = await ask(echo(), 9);
      expect(APICallError.isInstance(wrongRequest)).toBe(true);
      expect(wrongRequest).toMatchObject({
        statusCode: 400,
        message: expect.stringContaining('Invalid request parameters'),
      });
    });

    test('waits for a provider that begins late, while comments keep the stream open', async () => {
      gateway().upstream.addFaults({ kind: 'delay', on: 'chat', delayMs: 500 });
      const result = streamText({ model: echo(), prompt: 'Hello there', maxRetries: 0 });
      expect(await result.text).toBe('You said: Hello there');
    });

    test('reports a failure in the middle of a stream', async () => {
      gateway().upstream.addFaults({ kind: 'error-event', on: 'chat', events: 3 });
      const failures: unknown[] = [];
      const result = streamText({
        model: echo(),
        prompt: 'Hello there',
        onError: ({ error }) => void failures.push(error),
      });
      await result.consumeStream();
      expect(failures).toHaveLength(reportsFailures ? 1 : 0);
      expect(await result.finishReason).toBe(reportsFailures ? 'error' : 'other');
      if (!reportsFailures) expect(await result.rawFinishReason).toBe('error');
    });

    test('stops the upstream when a stream is aborted', async () => {
      gateway().upstream.addFaults({ kind: 'hang-stream', on: 'chat', events: 3 });
      const before = await generationIds(gateway());
      const leaving = new AbortController();
      const result = streamText({ model: echo(), prompt: 'Hello there', abortSignal: leaving.signal });
      const parts: string[] = [];
      for await (const part of result.fullStream) {
        parts.push(part.type);
        if (part.type === 'text-delta') leaving.abort();
      }
      expect(parts.at(-1)).toBe('abort');
      await expectCancelled(gateway(), before);
    });
  });
}
