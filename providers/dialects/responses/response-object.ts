/** Creates the response object with which an answer in the Responses dialect begins. */
import type { TextRequest } from '../../chat-adapter.ts';
import type { DialectObject } from '../../dialect-adapter.ts';
import { type Fields, fieldsIn, isFields } from '../../../domain/fields.ts';

/** The fields of a request that a response repeats, with the values for absent fields. */
const REPEATED: Readonly<Fields> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  top_p: null,
  top_logprobs: null,
  presence_penalty: null,
  frequency_penalty: null,
  tool_choice: 'auto',
  truncation: 'disabled',
  service_tier: null,
};

/**
 * Returns a response that has just started. Each call returns a new object, which shares the repeated fields with the
 * request.
 */
export function newResponse(request: Fields & Pick<TextRequest, 'model'>, id: string): DialectObject {
  const response: DialectObject = {
    id,
    object: 'response',
    created_at: nowSeconds(),
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: request.model,
    output: [],
    previous_response_id: null,
    store: false,
    background: false,
    tools: fieldsIn(request['tools']).map(toShownTool),
    text: { format: { type: 'text' }, ...(isFields(request['text']) ? request['text'] : {}) },
    reasoning: {
      effort: null,
      summary: null,
      ...(isFields(request['reasoning']) ? request['reasoning'] : {}),
    },
    usage: null,
  };
  for (const name in REPEATED) response[name] = request[name] ?? REPEATED[name];
  return response;
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Adds the keys of a function that clients expect. */
function toShownTool(tool: Fields): Fields {
  if (tool['type'] !== 'function') return tool;
  return { ...tool, parameters: tool['parameters'] ?? null, strict: tool['strict'] ?? null };
}
