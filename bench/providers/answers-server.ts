/**
 * Answers chats as vendors do, always with the same words, for a benchmark. The first part of the path says whose wire
 * it is. Prints its origin.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { frameOf } from '../../test/support/bedrock-cloud.ts';

interface Answers {
  whole: Buffer;
  streamed: Buffer;
}

const WORDS = Array.from({ length: 28 }, (_, n) => (n === 0 ? 'This' : ` word${n}`));
const TEXT = WORDS.join('');

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const events = (values: object[], end = ''): Buffer =>
  Buffer.from(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('') + end);

function openAiAnswers(): Answers {
  const usage = { prompt_tokens: 12, completion_tokens: 28, total_tokens: 40 };
  const common = { id: 'chatcmpl-1', created: 1_767_225_600, model: 'canned' };
  const chunk = (delta: object, finish: string | null) => ({
    ...common,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const message = { role: 'assistant', content: TEXT };
  return {
    whole: json({
      ...common,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    }),
    streamed: events(
      [
        ...WORDS.map((content) => chunk({ content }, null)),
        chunk({}, 'stop'),
        { ...common, object: 'chat.completion.chunk', choices: [], usage },
      ],
      'data: [DONE]\n\n',
    ),
  };
}

function googleAnswers(): Answers {
  const usageMetadata = { promptTokenCount: 12, candidatesTokenCount: 28, totalTokenCount: 40 };
  const part = (text: string, finishReason?: string) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, finishReason }],
    usageMetadata,
    modelVersion: 'canned',
    responseId: 'answer-1',
  });
  return {
    whole: json(part(TEXT, 'STOP')),
    streamed: events(WORDS.map((word, n) => part(word, n === WORDS.length - 1 ? 'STOP' : undefined))),
  };
}

function bedrockAnswers(): Answers {
  const usage = { inputTokens: 12, outputTokens: 28, totalTokens: 40 };
  const metrics = { latencyMs: 9 };
  const output = { message: { role: 'assistant', content: [{ text: TEXT }] } };
  const frames: [type: string, content: object][] = [
    ['messageStart', { role: 'assistant' }],
    ...WORDS.map((text): [string, object] => [
      'contentBlockDelta',
      { contentBlockIndex: 0, delta: { text } },
    ]),
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['messageStop', { stopReason: 'end_turn' }],
    ['metadata', { usage, metrics }],
  ];
  return {
    whole: json({ output, stopReason: 'end_turn', usage, metrics }),
    streamed: Buffer.concat(frames.map(([type, content]) => frameOf(type, content))),
  };
}

const ANSWERS: Record<string, Answers> = {
  openai: openAiAnswers(),
  mistral: openAiAnswers(),
  google: googleAnswers(),
  bedrock: bedrockAnswers(),
};
const EVENTS = { 'content-type': 'text/event-stream' };
const FRAMES = { 'content-type': 'application/vnd.amazon.eventstream' };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const url = request.url ?? '';
    const vendor = url.split('/')[1] ?? '';
    const answers = ANSWERS[vendor];
    if (answers === undefined) {
      response.writeHead(404).end();
      return;
    }
    const isStreamed = /stream/i.test(url) || Buffer.concat(chunks).includes('"stream":true');
    const body = isStreamed ? answers.streamed : answers.whole;
    const streamType = vendor === 'bedrock' ? FRAMES : EVENTS;
    response.writeHead(200, {
      ...(isStreamed ? streamType : { 'content-type': 'application/json' }),
      'content-length': body.length,
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
