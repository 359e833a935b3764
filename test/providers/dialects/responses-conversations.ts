import fc from 'fast-check';

type Json = Record<string, unknown>;

/** What a model answered in a chat, and why it stopped. */
export interface Answer {
  message: Json;
  finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
}

/** A part of a conversation: what was said to the model, its answer, and what its tools said. */
export interface Turn {
  said: Json[];
  answer: Answer;
  results: Json[];
}

const words = fc.string({ unit: 'grapheme', maxLength: 30 });
const someWords = words.filter((text) => text !== '');
const dataUrl = fc
  .base64String({ minLength: 4, maxLength: 24 })
  .map((data) => `data:image/png;base64,${data}`);

const textPart = someWords.map((text) => ({ type: 'text', text }));
const imagePart = fc
  .record({ url: dataUrl, detail: fc.constantFrom('low', 'high') }, { requiredKeys: ['url'] })
  .map((image) => ({ type: 'image_url', image_url: image }));
const filePart = fc.base64String({ minLength: 4 }).map((data) => ({
  type: 'file',
  file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` },
}));
const audioPart = fc.base64String({ minLength: 4 }).map((data) => ({
  type: 'input_audio',
  input_audio: { data, format: 'wav' },
}));
/** One plain text is a text, on either side. */
const isPlain = (parts: Json[]): boolean => parts.length === 1 && parts[0]!['type'] === 'text';
const parts = fc
  .array(fc.oneof(textPart, imagePart, filePart, audioPart), { minLength: 1, maxLength: 4 })
  .filter((list) => !isPlain(list));

const user = fc.oneof(words, parts).map((content) => ({ role: 'user', content }));
const system = fc
  .tuple(fc.constantFrom('system', 'developer'), someWords)
  .map(([role, content]) => ({ role, content }));

const signed = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('reasoning.text'), text: someWords, signature: someWords }),
    fc.record({ type: fc.constant('reasoning.encrypted'), data: someWords }),
    fc.record({ type: fc.constant('reasoning.summary'), summary: someWords }),
  ),
  { minLength: 1, maxLength: 3 },
);

/** Thoughts in plain words, or with what proves them. */
const thoughts = fc.oneof(
  fc.constant({}),
  someWords.map((reasoning) => ({ reasoning })),
  signed.map((list) => {
    const details = list.map((detail, index) => ({ ...detail, format: 'anthropic-claude-v1', index }));
    const reasoning = details
      .map((detail) => ('text' in detail ? detail.text : 'summary' in detail ? detail.summary : ''))
      .join('');
    return { ...(reasoning === '' ? {} : { reasoning }), reasoning_details: details };
  }),
);

const calls = fc
  .array(
    fc.record({
      name: fc.constantFrom('weather', 'look_up', 'add'),
      given: fc.oneof(fc.json({ maxDepth: 2 }), fc.constant(''), words),
    }),
    { maxLength: 3 },
  )
  .chain((list) =>
    fc.uniqueArray(fc.uuid(), { minLength: list.length, maxLength: list.length }).map((ids) =>
      list.map(({ name, given }, index) => ({
        id: `call_${ids[index]}`,
        type: 'function',
        function: { name, arguments: given },
      })),
    ),
  );

const answer = fc
  .record({
    content: fc.option(someWords),
    thoughts,
    calls,
    cut: fc.constantFrom('no', 'length', 'content_filter'),
  })
  .map(({ content, thoughts: thought, calls: made, cut }): Answer => {
    const isEmpty = content === null && made.length === 0 && Object.keys(thought).length === 0;
    const message = {
      role: 'assistant',
      content: isEmpty ? '' : content,
      ...thought,
      ...(made.length === 0 ? {} : { tool_calls: made }),
    };
    const whole = made.length === 0 ? 'stop' : 'tool_calls';
    return { message, finishReason: cut === 'no' ? whole : (cut as 'length' | 'content_filter') };
  });

const turn = answer.chain((given) => {
  const made = (given.message['tool_calls'] ?? []) as { id: string }[];
  const results = fc
    .shuffledSubarray(made, { minLength: made.length })
    .chain((ordered) =>
      fc.tuple(
        ...ordered.map(({ id }) =>
          fc.oneof(words, parts).map((content) => ({ role: 'tool', tool_call_id: id, content })),
        ),
      ),
    );
  return fc.record({
    said: fc.array(fc.oneof({ weight: 4, arbitrary: user }, { weight: 1, arbitrary: system }), {
      minLength: 1,
      maxLength: 2,
    }),
    answer: fc.constant(given),
    results,
  });
});

export const turns: fc.Arbitrary<Turn[]> = fc.array(turn, { minLength: 1, maxLength: 4 });

/** What is said to the model, as items of a responses request. */
export function toItem({ role, content, tool_call_id: id }: Json): Json {
  const told = Array.isArray(content) ? (content as Json[]).map(toPart) : content;
  return role === 'tool'
    ? { type: 'function_call_output', call_id: id, output: told }
    : { role, content: told };
}

function toPart(part: Json): Json {
  switch (part['type']) {
    case 'text':
      return { type: 'input_text', text: part['text'] };
    case 'image_url': {
      const { url, detail } = part['image_url'] as { url: string; detail?: string };
      return { type: 'input_image', image_url: url, ...(detail === undefined ? {} : { detail }) };
    }
    case 'file':
      return { type: 'input_file', ...(part['file'] as Json) };
    default:
      return part;
  }
}

/** The answer in pieces of at most `size` characters, as a stream tells it. */
export function toChunks({ message, finishReason }: Answer, size: number): Json[] {
  const chunk = (delta: Json, reason: string | null = null): Json => ({
    id: 'chatcmpl-1',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const { content, reasoning, reasoning_details: details, tool_calls: made } = message;
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(details === undefined
      ? pieces(reasoning, size).map((piece) => chunk({ reasoning: piece }))
      : (details as Json[]).flatMap((detail) =>
          detailPieces(detail, size).map((piece) => chunk({ reasoning_details: [piece] })),
        )),
    ...pieces(content, size).map((piece) => chunk({ content: piece })),
    ...((made ?? []) as Json[]).flatMap((call, index) =>
      callPieces(call, index, size).map((piece) => chunk({ tool_calls: [piece] })),
    ),
    chunk({}, finishReason),
    { id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
  ];
}

function detailPieces({ text, summary, signature, data, ...marks }: Json, size: number): Json[] {
  return [
    ...pieces(text, size).map((piece) => ({ ...marks, text: piece })),
    ...pieces(summary, size).map((piece) => ({ ...marks, summary: piece })),
    ...(signature === undefined ? [] : [{ ...marks, signature }]),
    ...(data === undefined ? [] : [{ ...marks, data }]),
  ];
}

function callPieces(call: Json, index: number, size: number): Json[] {
  const { name, arguments: given } = call['function'] as { name: string; arguments: string };
  return [
    { index, id: call['id'], type: 'function', function: { name, arguments: '' } },
    ...pieces(given, size).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function pieces(text: unknown, size: number): string[] {
  if (typeof text !== 'string') return [];
  return Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
    text.slice(n * size, (n + 1) * size),
  );
}
