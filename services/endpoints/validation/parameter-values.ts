/** Chooses the test values with which a validation tries the parameters that a customer declared. */

const TOOL = {
  type: 'function',
  function: {
    name: 'get_time',
    description: 'Returns the present time.',
    parameters: { type: 'object', properties: {} },
  },
};
const MAX_TOKENS = 256;

/**
 * The fields that test each parameter that a customer may declare. Each value changes the answer as little as
 * possible.
 */
const VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  frequency_penalty: { frequency_penalty: 0.1 },
  include_reasoning: { include_reasoning: true },
  logit_bias: { logit_bias: {} },
  logprobs: { logprobs: true },
  max_completion_tokens: { max_completion_tokens: MAX_TOKENS },
  max_tokens: { max_tokens: MAX_TOKENS },
  min_p: { min_p: 0.01 },
  n: { n: 1 },
  parallel_tool_calls: { parallel_tool_calls: false, tools: [TOOL] },
  presence_penalty: { presence_penalty: 0.1 },
  reasoning: { reasoning: { effort: 'low' } },
  reasoning_effort: { reasoning_effort: 'low' },
  repetition_penalty: { repetition_penalty: 1.05 },
  response_format: { response_format: { type: 'json_object' } },
  seed: { seed: 1 },
  stop: { stop: ['\n\n'] },
  structured_outputs: {
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'reply',
        strict: true,
        schema: {
          type: 'object',
          properties: { ok: { type: 'boolean' } },
          required: ['ok'],
          additionalProperties: false,
        },
      },
    },
  },
  temperature: { temperature: 0.5 },
  tool_choice: { tool_choice: 'auto', tools: [TOOL] },
  tools: { tools: [TOOL] },
  top_a: { top_a: 0.1 },
  top_k: { top_k: 40 },
  top_logprobs: { top_logprobs: 1, logprobs: true },
  top_p: { top_p: 0.9 },
  verbosity: { verbosity: 'low' },
};

/**
 * Returns the fields of a request with all declared parameters. Parameters without an entry are left out, because no
 * value would suit every server. Two pairs exclude each other: `max_completion_tokens` replaces `max_tokens`, and the
 * schema of an answer replaces its format.
 */
export function valuesOf(declared: readonly string[]): Record<string, unknown> {
  const names = declared.toSorted(
    (one, other) => Number(one === 'structured_outputs') - Number(other === 'structured_outputs'),
  );
  const fields = Object.assign(
    {},
    ...names.map((name) => (Object.hasOwn(VALUES, name) ? VALUES[name] : {})),
  ) as Record<string, unknown>;
  if (fields['max_completion_tokens'] !== undefined) delete fields['max_tokens'];
  return fields;
}
