import fc from 'fast-check';

type Json = Record<string, unknown>;

/** Text that a part may consist of: anything but nothing. */
const words = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const base64 = fc.base64String({ minLength: 4, maxLength: 16 });
const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const ephemeral = fc.constantFrom(undefined, { type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' });

const textPart = fc.record({ type: fc.constant('text'), text: words, cache_control: ephemeral });
const imagePart = fc
  .oneof(
    base64.map((data) => `data:image/png;base64,${data}`),
    fc.webUrl().map((url) => url),
  )
  .map((url) => ({ type: 'image_url', image_url: { url } }));
const filePart = fc
  .tuple(words, fc.constantFrom('application/pdf', 'text/plain'), words)
  .map(([filename, type, said]) => ({
    type: 'file',
    file: { filename, file_data: `data:${type};base64,${Buffer.from(said).toString('base64')}` },
  }));
const parts = fc.array(fc.oneof(textPart, imagePart, filePart), { minLength: 1, maxLength: 4 });
const content = fc.oneof(words, parts);

const system = fc.record({
  role: fc.constantFrom('system', 'developer'),
  content: fc.oneof(words, fc.array(textPart, { minLength: 1, maxLength: 3 })),
});
const user = fc.record({ role: fc.constant('user'), content });

const reasoningDetail = fc.oneof(
  fc.tuple(words, words).map(([text, signature]) => ({ type: 'reasoning.text', text, signature })),
  base64.map((data) => ({ type: 'reasoning.encrypted', data })),
);
const thoughts = fc.array(reasoningDetail, { maxLength: 2 }).map((details) => withThoughts(details));

function withThoughts(details: Json[]): Json {
  if (details.length === 0) return {};
  const text = details.map((detail) => (detail['text'] ?? '') as string).join('');
  return { ...(text === '' ? {} : { reasoning: text }), reasoning_details: details };
}

const toolArguments = fc.oneof(
  fc.dictionary(name, fc.jsonValue({ maxDepth: 2 })).map((value) => JSON.stringify(value)),
  // Models that ran out of tokens, or that write no JSON.
  fc.constantFrom('{"cut', 'no JSON', '[1]'),
);
const call = fc.record({
  type: fc.constant('function'),
  function: fc.record({ name, arguments: toolArguments }),
});

/** What a model says in a turn, with the results of the tools that it calls. */
const turn = fc
  .tuple(
    thoughts,
    fc.option(content),
    fc.array(call, { maxLength: 3 }),
    fc.array(content, { minLength: 3, maxLength: 3 }),
  )
  .filter(([, said, calls]) => said !== null || calls.length > 0)
  .map(([thought, said, calls, results]): Json[] => [
    {
      role: 'assistant',
      content: said,
      ...thought,
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((each, i) => ({ id: `call_${i}`, ...each })) }),
    },
    ...calls.map((_, i) => ({ role: 'tool', tool_call_id: `call_${i}`, content: results[i] })),
  ]);

const exchange = fc
  .tuple(user, turn, fc.option(system))
  .map(([asked, answered, told]): Json[] => [asked, ...answered, ...(told === null ? [] : [told])]);

const messages = fc
  .tuple(fc.array(system, { maxLength: 2 }), fc.array(exchange, { maxLength: 3 }), user)
  .map(([prompts, exchanges, last]): Json[] => [...prompts, ...exchanges.flat(), last]);

const tool = fc
  .tuple(name, fc.option(words), fc.boolean(), ephemeral)
  .map(([called, description, strict, cache_control]) => ({
    type: 'function',
    function: {
      name: called,
      ...(description === null ? {} : { description }),
      parameters: { type: 'object', properties: { x: { type: 'string' } } },
      ...(strict ? { strict } : {}),
    },
    ...(cache_control === undefined ? {} : { cache_control }),
  }));

const tooling = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
      tool_choice: fc.oneof(
        fc.constantFrom('auto', 'required', 'none'),
        name.map((called) => ({ type: 'function', function: { name: called } })),
      ),
      parallel_tool_calls: fc.boolean(),
    },
    { requiredKeys: ['tools'] },
  ),
);

const options = fc.record(
  {
    max_tokens: fc.integer({ min: 1, max: 1_000 }),
    temperature: fc.double({ min: 0, max: 1, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.oneof(words, fc.array(words, { minLength: 1, maxLength: 3 })),
    service_tier: fc.constantFrom('auto', 'default'),
    reasoning: fc.constantFrom(
      { effort: 'none' },
      { effort: 'high' },
      { enabled: true },
      { max_tokens: 2_000 },
      { effort: 'low', exclude: true },
      { effort: 'low', max_tokens: 2_000 },
    ),
    response_format: fc.constant({
      type: 'json_schema',
      json_schema: { name: 'response', schema: { type: 'object' }, strict: true },
    }),
    cache_control: fc.constant({ type: 'ephemeral' }),
    some_field_of_tomorrow: fc.jsonValue({ maxDepth: 1 }).filter((value) => value !== null),
  },
  { requiredKeys: [] },
);

/** Chat requests of all that Anthropic's dialect has words for. */
export const chatRequests = fc
  .tuple(messages, tooling, options)
  .map(([conversation, tools, more]) => clean({ model: 'm', messages: conversation, ...tools, ...more }));

/** Chat completions, as a model of that dialect may answer. */
export const completions = fc
  .tuple(
    fc.option(fc.tuple(words, words)),
    fc.option(words),
    fc.array(fc.tuple(name, fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }))), { maxLength: 3 }),
    fc.constantFrom('stop', 'length', 'content_filter'),
    fc.record({ input: fc.nat(9), read: fc.nat(9), written: fc.nat(9), output: fc.nat(99) }),
  )
  .map(([thought, said, calls, reason, { input, read, written, output }]) => ({
    id: 'x',
    object: 'chat.completion',
    model: 'm',
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? 'tool_calls' : reason,
        message: {
          role: 'assistant',
          content: said,
          ...(thought === null
            ? {}
            : withThoughts([{ type: 'reasoning.text', text: thought[0], signature: thought[1] }])),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(([called, given], i) => ({
                  id: `call_${i}`,
                  type: 'function',
                  function: { name: called, arguments: JSON.stringify(given) },
                })),
              }),
        },
      },
    ],
    usage: {
      prompt_tokens: input + read + written,
      completion_tokens: output,
      total_tokens: input + read + written + output,
      prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  }));

/** Without undefined, which JSON does not have. */
function clean<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
