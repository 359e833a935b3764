/** Declares the operation that answers in the shape of OpenAI's Responses API. */
import { conversation, textOperation } from './generation-request.ts';
import { DROPPED_TOOLS_HEADER, TEXT_GENERATION_HEADERS } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { responsesRequest } from './responses-request.ts';
import { responsesEvent, responsesResult } from './responses-result.ts';

export const responseOperations = defineOperations(textOperation, {
  createResponse: {
    route: 'POST /responses',
    tag: 'Responses',
    summary: 'Answer in the shape of the Responses API',
    description:
      'Serves the same models and endpoints at the same price as `POST /chat/completions`. The operation is stateless: nothing is kept, and `input` contains the whole conversation. With `stream: true` the answer is a stream of server-sent events that ends with `data: [DONE]`; the last event before it has the usage.',
    body: {
      ...conversation,
      schema: responsesRequest,
      examples: {
        simple: {
          summary: 'A question',
          value: { model: 'local/echo-1', input: 'What is a sluice?' },
        },
        streamed: {
          summary: 'Streamed, with instructions and a length',
          value: {
            model: 'local/echo-1',
            instructions: 'Answer in one sentence.',
            input: [{ role: 'user', content: 'What is a sluice?' }],
            max_output_tokens: 100,
            stream: true,
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The answer, or with `stream: true` its events as they arrive.',
        schema: responsesResult,
        events: responsesEvent,
        headers: { ...TEXT_GENERATION_HEADERS, ...DROPPED_TOOLS_HEADER },
        example: {
          id: 'gen-1767225600000-abcdefghijklmnopqrst',
          object: 'response',
          created_at: 1_767_225_600,
          completed_at: 1_767_225_601,
          status: 'completed',
          model: 'local/echo-1',
          provider: 'Local upstream',
          output: [
            {
              id: 'msg_1',
              type: 'message',
              status: 'completed',
              role: 'assistant',
              content: [
                {
                  type: 'output_text',
                  text: 'A gate that lets water through.',
                  annotations: [],
                  logprobs: [],
                },
              ],
            },
          ],
          error: null,
          incomplete_details: null,
          instructions: null,
          metadata: {},
          parallel_tool_calls: true,
          tool_choice: 'auto',
          tools: [],
          temperature: null,
          top_p: null,
          presence_penalty: null,
          frequency_penalty: null,
          usage: {
            input_tokens: 5,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 7,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 12,
            cost: 0.000019,
            is_byok: false,
          },
        },
      },
    },
  },
});
