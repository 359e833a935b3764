/**
 * Plays the wires of Vertex AI beside Gemini's: Claude, open models, and embeddings of single texts. Bodies are those
 * of `@anthropic-ai/vertex-sdk` 1.1.3 and of Vercel's client (snapshot of 2026-08-22), read on 2026-11-28.
 */
import { z } from 'zod';
import { createChatCapability } from '../../../upstream/chat/chat-capability.ts';
import { createMessagesCapability } from '../../../upstream/messages/messages-capability.ts';
import { jsonReply, type Reply, streamedReply, UpstreamError } from '../../../upstream/reply.ts';
import type { Capability, Exchange, Route } from '../../../upstream/route.ts';

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

const absent = z.undefined('Extra inputs are not permitted').optional();
const claude = z.looseObject({
  anthropic_version: z.literal('vertex-2023-10-16'),
  stream: z.literal(true).optional(),
  model: absent,
  betas: absent,
  service_tier: absent,
  tools: z.array(z.looseObject({ strict: absent })).optional(),
});

function checkClaude(model: string, method: string, values: unknown): void {
  if (!model.startsWith('claude-') || !/^(stream)?[rR]awPredict$/.test(method))
    throw new UpstreamError(404, `Publisher Model ${model} was not found.`);
  const { error, data } = claude.safeParse(values);
  if (error !== undefined) throw new UpstreamError(400, z.prettifyError(error));
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

const task = z.enum(['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT', 'CLASSIFICATION', 'CLUSTERING']).optional();
const length = z.int().min(1).max(3072).optional();
const embedContent = z.strictObject({
  content: z.strictObject({ parts: z.tuple([z.strictObject({ text: z.string().min(1) })]) }),
  embedContentConfig: z
    .strictObject({ taskType: task, outputDimensionality: length, autoTruncate: z.boolean().optional() })
    .optional(),
});
const predict = z.strictObject({
  instances: z.tuple([z.strictObject({ content: z.string().min(1), task_type: task })]),
  parameters: z.strictObject({ outputDimensionality: length, autoTruncate: z.boolean().optional() }),
});

/** The first number of a vector is the length of its text, which is also the count of its tokens. */
export function embedText(model: string, method: string | undefined, values: unknown): Reply {
  const newer = model.startsWith('gemini-embedding-2');
  if (method !== (newer ? 'embedContent' : 'predict'))
    throw new UpstreamError(400, `${model} is not supported in ${method}.`);
  return newer ? answerContent(parse(embedContent, values)) : answerPrediction(parse(predict, values));
}

function answerContent({ content, embedContentConfig: config = {} }: z.output<typeof embedContent>): Reply {
  const [{ text }] = content.parts;
  const usageMetadata = { promptTokenCount: text.length, totalTokenCount: text.length };
  const values = vectorOf(text, config.outputDimensionality);
  return jsonReply(200, { embedding: { values }, usageMetadata, truncated: false });
}

function answerPrediction({ instances: [{ content }], parameters }: z.output<typeof predict>): Reply {
  const statistics = { truncated: false, token_count: content.length };
  const embeddings = { values: vectorOf(content, parameters.outputDimensionality), statistics };
  return jsonReply(200, { predictions: [{ embeddings }] });
}

function vectorOf(text: string, length = 3072): number[] {
  return Array.from({ length }, (_, at) => (at === 0 ? text.length : 0.5));
}

function parse<T>(schema: z.ZodType<T>, values: unknown): T {
  const { data, error } = schema.safeParse(values);
  if (error !== undefined) throw new UpstreamError(400, z.prettifyError(error));
  return data;
}
