/**
 * Compares this checkout with another one of the same repository, such as the commit before a change. Both gateways run
 * at the same time, each with its own database and upstream. Arguments: the other checkout's folder, with its
 * dependencies installed, then seconds of one round, pairs of rounds, and a part of the names of the cases to run
 * (default: all).
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type MeasuredGateway, rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { createComparison, type Side } from '../live/comparison.ts';
import { startServer } from '../live/processes.ts';

const [folder, seconds = '4', rounds = '5', part = ''] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Usage: npm run bench -- versions FOLDER [SECONDS] [ROUNDS] [CASE]\n');
  process.exit(2);
}

/** The least share of answers per second that a change must keep. */
const BAR = 0.97;

const otherScript = pathToFileURL(path.resolve(folder, 'bench/gateway-process.ts')).href;
const other = (await import(otherScript)) as { startMeasuredGateway: typeof startMeasuredGateway };
interface Case {
  name: string;
  target: string;
  body: object;
}

const MESSAGES = [{ role: 'user', content: 'Say what you always say.' }];
const CHAT = { target: '/chat/completions', body: { model: 'local/chat-canned', messages: MESSAGES } };
const CASES: Case[] = [
  { name: 'chat', ...CHAT },
  { name: 'chat streamed', target: CHAT.target, body: { ...CHAT.body, stream: true } },
  { name: 'messages', target: '/messages', body: { ...CHAT.body, max_tokens: 100 } },
  { name: 'image', target: '/images', body: { model: 'local/image-canned', prompt: 'A paper boat' } },
  {
    name: 'speech',
    target: '/audio/speech',
    body: {
      model: 'local/speech-canned',
      input: 'Say what you always say.',
      response_format: 'mp3',
      voice: 'alto',
    },
  },
];

const RERANK_DOCUMENTS = Array.from({ length: 10 }, (_, n) =>
  `Document ${n} is about boats, rivers and the sea. `.repeat(4),
);
const RERANK: Case = {
  name: 'rerank',
  target: '/rerank',
  body: {
    model: 'cohere/rerank-4-fast',
    query: 'Which of these is about boats?',
    documents: RERANK_DOCUMENTS,
  },
};

const sideOf = ({ origin, pid, apiKey }: MeasuredGateway, { target, body }: Case): Side => ({
  origin,
  pid,
  request: rawRequest(`/api/v1${target}`, apiKey, body),
});

const comparison = createComparison({
  seconds: Number(seconds),
  rounds: Number(rounds),
  referenceName: 'the other checkout',
});
async function measure(present: MeasuredGateway, past: MeasuredGateway, started: string): Promise<void> {
  for (const each of [...CASES, RERANK]) {
    for (const connections of [32, 128]) {
      const name = `${each.name}, ${connections} connections, started ${started}`;
      if (!name.includes(part)) continue;
      await comparison.throughput(
        { name, connections, product: sideOf(present, each), reference: sideOf(past, each) },
        BAR,
      );
    }
  }
  await past.close();
  await present.close();
}

const rerankUpstream = await startServer('versions/rerank-upstream.ts');
const options = {
  env: { PROVIDER_COHERE_BASE_URL: `${rerankUpstream.origin}/v2`, PROVIDER_COHERE_API_KEY: 'bench-key' },
};
// With the same code, the gateway that started first answered up to a fifth fewer requests, so the order alternates.
const first = await startMeasuredGateway(options);
await measure(first, await other.startMeasuredGateway(options), 'first');
const otherFirst = await other.startMeasuredGateway(options);
await measure(await startMeasuredGateway(options), otherFirst, 'second');
await rerankUpstream.close();
process.stdout.write(`\n${comparison.render()}\n`);
