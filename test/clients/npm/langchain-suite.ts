import { describe, expect, test } from '@jest/globals';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import type { Gateway } from '../../support/gateway.ts';
import { expectCancelled, generationIds } from '../cancelled.ts';
import { PNG } from './picture.ts';

export interface ChatSettings {
  apiKey?: string;
  topP?: number;
}

/** Tests everything that LangChain does with a chat model of `local/echo-1`, which `make` builds. */
export function testChatModel(
  name: string,
  gateway: () => Gateway,
  make: (settings?: ChatSettings) => BaseChatModel,
  {
    methods = ['jsonSchema', 'functionCalling'],
    failure = 'thrown',
  }: {
    methods?: readonly ('jsonSchema' | 'functionCalling')[];
    /** How the client shows that a stream failed in the middle. */
    failure?: 'thrown' | 'finish reason' | 'nowhere';
  } = {},
): void {
  const weather = tool(({ city }) => `rain in ${city}`, {
    name: 'weather',
    description: 'Tells the weather of a city.',
    schema: z.object({ city: z.string() }),
  });

  describe(name, () => {
    test('completes a conversation', async () => {
      const answer = await make().invoke('Hello there');
      expect(answer.text).toBe('You said: Hello there');
      expect(answer).toMatchObject({ usage_metadata: { output_tokens: expect.any(Number) } });
    });

    test('streams an answer in pieces', async () => {
      const pieces: string[] = [];
      for await (const piece of await make().stream('Hello there')) pieces.push(piece.text);
      expect(pieces.join('')).toBe('You said: Hello there');
      expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(1);
    });

    test('runs a tool and answers with its result', async () => {
      const model = make().bindTools!([weather]);
      const question = new HumanMessage('What is the weather {"city": "Bergen"}?');
      const call = await model.invoke([question]);
      expect(call.tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Bergen' } }]);
      const result = await weather.invoke(call.tool_calls![0]!);
      expect(result).toBeInstanceOf(ToolMessage);
      const answer = await model.invoke([question, call, result]);
      expect(answer.text).toBe('The tool said: rain in Bergen');
    });

    test.each(methods)('gets an object that fits a schema by %s', async (method) => {
      const schema = z.object({ city: z.string(), degrees: z.int().min(4) });
      const model = make().withStructuredOutput(schema, { method });
      expect(await model.invoke('Bergen')).toEqual({ city: 'Bergen', degrees: 4 });
    });

    test('shows a picture to the model', async () => {
      const url = `data:image/png;base64,${PNG.toString('base64')}`;
      const content = [
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url } },
      ];
      const answer = await make().invoke([new HumanMessage({ content })]);
      expect(answer.text).toBe('You said: Look: [image_url]');
    });

    test('throws its own error for a wrong key and for a wrong request', async () => {
      await expect(make({ apiKey: 'sk-slc-wrong' }).invoke('Hello')).rejects.toMatchObject({ code: 401 });
      await expect(make({ topP: 9 }).invoke('Hello')).rejects.toMatchObject({ code: 400 });
    });

    test('waits for a provider that begins late, while comments keep the stream open', async () => {
      gateway().upstream.addFaults({ kind: 'delay', on: 'chat', delayMs: 500 });
      let text = '';
      for await (const piece of await make().stream('Hello there')) text += piece.text;
      expect(text).toBe('You said: Hello there');
    });

    test(`shows a failure in the middle of a stream: ${failure}`, async () => {
      gateway().upstream.addFaults({ kind: 'error-event', on: 'chat', events: 3 });
      const read = async () => {
        const reasons: unknown[] = [];
        for await (const { response_metadata: metadata } of await make().stream('Hello there')) {
          if (metadata['finish_reason']) reasons.push(metadata['finish_reason']);
        }
        return reasons;
      };
      if (failure === 'thrown') await expect(read()).rejects.toThrow();
      else expect(await read()).toEqual(failure === 'finish reason' ? ['error'] : []);
    });

    test('stops the upstream when a stream is aborted', async () => {
      gateway().upstream.addFaults({ kind: 'hang-stream', on: 'chat', events: 3 });
      const before = await generationIds(gateway());
      const leaving = new AbortController();
      const read = async () => {
        for await (const piece of await make().stream('Hello there', { signal: leaving.signal })) {
          if (piece.text !== '') leaving.abort();
        }
      };
      await expect(read()).rejects.toThrow(/abort/i);
      await expectCancelled(gateway(), before);
    });
  });
}
