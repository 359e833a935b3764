import { describe, expect, test } from '@jest/globals';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import type { DialectAdapter } from '../../../providers/dialect-adapter.ts';
import { chatOverMessages } from '../../../providers/dialects/messages/chat-over-messages.ts';
import { responsesOverChat } from '../../../providers/dialects/responses/responses-over-chat.ts';
import type { ShownResponse } from '../../support/response-events.ts';
import { CONTEXT } from './scripted-chat.ts';

const ANSWER = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'Rain?', signature: 'signed' },
    { type: 'redacted_thinking', data: 'sealed' },
    { type: 'text', text: 'Let me see.' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Ulm' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 7 },
};

describe('responses over an endpoint with the messages dialect', () => {
  test('keep signed thoughts, text and calls from one turn to the next', async () => {
    const asked: TextRequest[] = [];
    const adapter: DialectAdapter = {
      async create(request) {
        asked.push(request);
        return structuredClone(ANSWER);
      },
      stream: () => Promise.reject(new Error('not asked for')),
    };
    const responses = responsesOverChat(chatOverMessages(adapter));
    const input: object[] = [{ role: 'user', content: 'Weather?' }];
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' } }];
    const request = { model: 'm', max_output_tokens: 100, tools, input };
    const first = (await responses.create(request, CONTEXT)) as unknown as ShownResponse;
    expect(first.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'reasoning',
      'message',
      'function_call',
    ]);
    expect(first.usage).toMatchObject({ input_tokens: 15, input_tokens_details: { cached_tokens: 5 } });
    input.push(...first.output, { type: 'function_call_output', call_id: 'toolu_1', output: 'Rain' });
    await responses.create(request, CONTEXT);
    expect(asked[1]!['messages']).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: ANSWER.content },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain' }],
      },
    ]);
  });

  test('refuse encrypted content of another vendor', async () => {
    const adapter: DialectAdapter = {
      create: () => Promise.reject(new Error('sent')),
      stream: () => Promise.reject(new Error('sent')),
    };
    const input = [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed by OpenAI' }];
    const work = responsesOverChat(chatOverMessages(adapter)).create({ model: 'm', input }, CONTEXT);
    await expect(work).rejects.toMatchObject({ issues: [{ path: 'body.input' }] });
  });

  test("name the request's field that messages lack", async () => {
    const adapter: DialectAdapter = {
      create: () => Promise.reject(new Error('sent')),
      stream: () => Promise.reject(new Error('sent')),
    };
    const responses = responsesOverChat(chatOverMessages(adapter));
    const content = [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }];
    const work = responses.create({ model: 'm', input: [{ role: 'user', content }] }, CONTEXT);
    await expect(work).rejects.toMatchObject({ issues: [{ path: 'body.input' }] });
  });
});
