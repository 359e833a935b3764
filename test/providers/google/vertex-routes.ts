/**
 * Plays the wires of Vertex AI beside Gemini's: Claude, open models, and embeddings of single texts. Bodies are those
 * of `@anthropic-ai/vertex-sdk` 1.1.3 and of Vercel's client (snapshot of 2026-08-22), read on 2026-11-28.
 */
import { createChatCapability } from '../../../upstream/chat/chat-capability.ts';
import { createMessagesCapability } from '../../../upstream/messages/messages-capability.ts';
import { jsonReply, type Reply, streamedReply, UpstreamError } from '../../../upstream/reply.ts';
import type { Capability, Exchange, Route } from '../../../upstream/route.ts';
import { checked, claude, embedContent, predict } from './wire.ts';

/** The model of the local upstream, which answers in place of those of the cloud. */
const ECHO = 'echo-1';

/** Returns the routes of Claude and of open models, in the project and region of this path. */
export function partnerRoutes(place: string): Route[] {
  return [
    {
      method: 'POST',
      path: `${place}/publishers/anthropic/models/:call`,
      target: 'messages',
      async handle(exchange) {
        const [model = '', method = ''] = (exchange.params['call'] ?? '').split(':');
        const { values } = await exchange.fields();
        checkClaude(model, method, values);
        // Answers name the version after a hyphen.
        return echo(createMessagesCapability(), exchange, model.replace('@', '-'));
      },
    },
    {
      method: 'POST',
      path: `${place}/endpoints/openapi/chat/completions`,
      target: 'chat',
      async handle(exchange) {
        const { model } = (await exchange.fields()).values;
        if (typeof model !== 'string' || !/^[\w-]+\/[\w.-]+-maas$/.test(model))
          throw new UpstreamError(400, 'Malformed publisher model (should be in the form publisher/model)');
        return echo(createChatCapability(), exchange, model);
      },
    },
  ];
}

function checkClaude(model: string, method: string, values: unknown): void {
  if (!model.startsWith('claude-') || !/^(stream)?[rR]awPredict$/.test(method))
    throw new UpstreamError(404, `Publisher Model ${model} was not found.`);
  const data = checked(claude, values);
  if (JSON.stringify(data).includes('"source":{"type":"url"'))
    throw new UpstreamError(400, 'URL sources are not supported');
  if ((data.stream === true) !== (method === 'streamRawPredict'))
    throw new UpstreamError(400, `stream does not fit ${method}`);
}

/** Returns the answer of the local upstream under the name of another model. */
async function echo({ routes: [route] }: Capability, exchange: Exchange, model: string): Promise<Reply> {
  const { values, files } = await exchange.fields();
  const asEcho = async () => ({ files, values: { ...values, model: ECHO } });
  const reply = await route!.handle({ ...exchange, fields: asEcho });
  const named = (text: string) => text.replace(`"model":"${ECHO}"`, `"model":"${model}"`);
  if (reply.events !== undefined)
    return streamedReply(
      reply.events.map((event) => named(String(event))),
      reply.headers,
    );
  return { ...reply, body: Buffer.from(named(Buffer.from(reply.body as Uint8Array).toString('utf8'))) };
}

/** The first number of a vector is the length of its text, which is also the count of its tokens. */
export function embedText(model: string, method: string | undefined, values: unknown): Reply {
  const isNewer = model.startsWith('gemini-embedding-2');
  if (method !== (isNewer ? 'embedContent' : 'predict'))
    throw new UpstreamError(400, `${model} is not supported in ${method}.`);
  if (!isNewer) {
    const { instances, parameters } = checked(predict, values);
    const { content } = instances[0];
    const statistics = { truncated: false, token_count: content.length };
    const embeddings = { values: vectorOf(content.length, parameters.outputDimensionality), statistics };
    return jsonReply(200, { predictions: [{ embeddings }] });
  }
  const { content, embedContentConfig: config = {} } = checked(embedContent, values);
  const { length } = content.parts[0].text;
  const usageMetadata = { promptTokenCount: length, totalTokenCount: length };
  const embedding = { values: vectorOf(length, config.outputDimensionality) };
  return jsonReply(200, { embedding, usageMetadata, truncated: false });
}

/** Returns a vector that begins with this number. */
export function vectorOf(first: number, length = 3072): number[] {
  return Array.from({ length }, (_, at) => (at === 0 ? first : 0.5));
}
