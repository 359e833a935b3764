/** Compares rerank, image and speech requests with a bare proxy, and messages with chats. */
import { rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { createComparison, type Pair } from '../live/comparison.ts';
import { type ServerProcess, startBareProxy, startServer } from '../live/processes.ts';

/** The seconds of one round, and the pairs of rounds for each row. */
const [seconds = 4, rounds = 5] = process.argv.slice(2).map(Number);

const rerankUpstream = await startServer('media/rerank-upstream.ts');
const cohere = { baseUrl: `${rerankUpstream.origin}/v2`, apiKey: 'bench-key' };
const gateway = await startMeasuredGateway({
  env: { PROVIDER_COHERE_BASE_URL: cohere.baseUrl, PROVIDER_COHERE_API_KEY: cohere.apiKey },
});
const [bare, bareBeforeRerank] = await Promise.all([
  startBareProxy(gateway.upstream),
  startBareProxy(cohere),
]);

interface Case {
  target: string;
  model: string;
  upstreamModel: string;
  body: object;
  before?: ServerProcess;
  upstreamTarget?: string;
}

const pairOf = (name: string, connections: number, testCase: Case): Pair => {
  const { target, model, upstreamModel, body, before = bare, upstreamTarget = target } = testCase;
  return {
    name,
    connections,
    product: {
      origin: gateway.origin,
      pid: gateway.pid,
      request: rawRequest(`/api/v1${target}`, gateway.apiKey, { ...body, model }),
    },
    reference: {
      ...before,
      request: rawRequest(upstreamTarget, gateway.apiKey, { ...body, model: upstreamModel }),
    },
  };
};

const RERANK: Case = {
  target: '/rerank',
  model: 'cohere/rerank-4-fast',
  upstreamModel: 'rerank-v4.0-fast',
  before: bareBeforeRerank,
  body: {
    query: 'Which of these is about boats?',
    documents: Array.from({ length: 10 }, (_, n) =>
      `Document ${n} is about boats, rivers and the sea. `.repeat(4),
    ),
  },
};
const image = (stream: boolean): Case => ({
  target: '/images',
  upstreamTarget: '/images/generations',
  model: 'local/image-canned',
  upstreamModel: 'image-canned',
  body: { prompt: 'A paper boat', ...(stream ? { stream } : {}) },
});
const SPEECH: Case = {
  target: '/audio/speech',
  model: 'local/speech-canned',
  upstreamModel: 'speech-canned',
  body: { input: 'Say what you always say.', response_format: 'mp3', voice: 'alto' },
};

const againstBare = createComparison({ seconds, rounds, referenceName: 'bare Koa + undici' });
await againstBare.throughput(pairOf('rerank, 32 connections', 32, RERANK), 0.55);
await againstBare.throughput(pairOf('rerank, 128 connections', 128, RERANK), 0.7);
await againstBare.throughput(pairOf('image of 50 kB, 32 connections', 32, image(false)), 0.55);
await againstBare.throughput(pairOf('image of 50 kB, 128 connections', 128, image(false)), 0.7);
await againstBare.delay(pairOf('speech', 32, SPEECH));
await againstBare.delay(pairOf('image streamed', 32, image(true)));

/** Both sides use the product, with the same upstream on OpenAI's wire. */
const dialectOf = (target: string) => ({
  origin: gateway.origin,
  pid: gateway.pid,
  request: rawRequest(target, gateway.apiKey, {
    model: 'local/chat-canned',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Say what you always say.' }],
  }),
});
const againstChat = createComparison({ seconds, rounds, referenceName: 'chat' });
for (const connections of [32, 128]) {
  await againstChat.throughput(
    {
      name: `messages, ${connections} connections`,
      connections,
      product: dialectOf('/api/v1/messages'),
      reference: dialectOf('/api/v1/chat/completions'),
    },
    0.85,
  );
}

for (const server of [bare, bareBeforeRerank, rerankUpstream]) await server.close();
await gateway.close();
process.stdout.write(`\n${againstBare.render()}\n\n${againstChat.render()}\n`);
