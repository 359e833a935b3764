/** The requests of Gemini's API as its reference documents them, and what the reference refuses. */
import { z } from 'zod';
import { UpstreamError } from '../../../upstream/reply.ts';

/** Returns a body by its schema. Throws UpstreamError that names every problem. */
export function checked<T>(schema: z.ZodType<T>, values: unknown): T {
  const { data, error } = schema.safeParse(values);
  if (error !== undefined) throw new UpstreamError(400, z.prettifyError(error));
  return data;
}

const base64 = z.string().regex(/^[\w+/]+={0,2}$/);
const inlineData = z.strictObject({ mimeType: z.string().regex(/^\w+\/[\w.+-]+$/), data: base64 });
const signed = { thought: z.boolean().optional(), thoughtSignature: z.string().min(1).optional() };
const name = z.string().regex(/^[A-Za-z_][\w.:-]{0,127}$/);
const object = z.record(z.string(), z.unknown());

const id = z.string().optional();
const fileData = z.strictObject({ fileUri: z.string(), mimeType: z.string().optional() });
const media = z.array(z.union([z.strictObject({ inlineData }), z.strictObject({ fileData })])).optional();
const speechMetadata = z.strictObject({ speaker: z.string(), style: z.string() }).partial().optional();
const functionCall = z.strictObject({ id, name, args: object.optional() });
const functionResponse = z.strictObject({ id, name, response: object, parts: media });

const part = z.union([
  z.strictObject({ text: z.string(), speechMetadata, ...signed }),
  z.strictObject({ inlineData, ...signed }),
  z.strictObject({ fileData, ...signed }),
  z.strictObject({ functionCall, ...signed }),
  z.strictObject({ functionResponse }),
]);

const content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) });

const thinkingConfig = z
  .strictObject({
    includeThoughts: z.boolean().optional(),
    thinkingBudget: z.int().optional(),
    thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  })
  .refine(
    (config) => config.thinkingBudget === undefined || config.thinkingLevel === undefined,
    'You can only set only one of thinking budget and thinking level.',
  );

const voiceConfig = z.strictObject({ prebuiltVoiceConfig: z.strictObject({ voiceName: z.string() }) });
const speaker = z.strictObject({ speaker: z.string(), voiceConfig });
const speakers = z.strictObject({ speakerVoiceConfigs: z.array(speaker).length(2) });
const ratio = z.string().regex(/^\d+:\d+$/);
const size = z.enum(['512', '1K', '2K', '4K']);

const generationConfig = z
  .strictObject({
    temperature: z.number().min(0).max(2),
    topP: z.number(),
    topK: z.number(),
    candidateCount: z.int().min(1).max(8),
    maxOutputTokens: z.int().min(1),
    stopSequences: z.array(z.string()).max(5),
    seed: z.int(),
    mediaResolution: z.enum(['MEDIA_RESOLUTION_LOW', 'MEDIA_RESOLUTION_MEDIUM', 'MEDIA_RESOLUTION_HIGH']),
    presencePenalty: z.number(),
    frequencyPenalty: z.number(),
    responseMimeType: z.enum(['text/plain', 'application/json']),
    responseJsonSchema: object,
    responseModalities: z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO'])),
    imageConfig: z.strictObject({ aspectRatio: ratio.optional(), imageSize: size.optional() }),
    speechConfig: z.union([
      z.strictObject({ voiceConfig }),
      z.strictObject({ multiSpeakerVoiceConfig: speakers }),
    ]),
    thinkingConfig,
  })
  .partial()
  .refine(
    (config) => config.responseJsonSchema === undefined || config.responseMimeType === 'application/json',
    'responseJsonSchema needs responseMimeType application/json',
  );

const functionDeclaration = z.strictObject({
  name,
  description: z.string().optional(),
  parametersJsonSchema: object.optional(),
});
const functionCallingConfig = z.strictObject({
  mode: z.enum(['AUTO', 'ANY', 'NONE']),
  allowedFunctionNames: z.array(name).optional(),
});
const text = z.strictObject({ text: z.string().min(1) });

/** The body of `generateContent`. */
export const generateContent = z
  .strictObject({
    contents: z.array(content).min(1),
    systemInstruction: z.strictObject({ parts: z.array(text) }).optional(),
    tools: z.array(z.strictObject({ functionDeclarations: z.array(functionDeclaration) })).optional(),
    toolConfig: z.strictObject({ functionCallingConfig }).optional(),
    safetySettings: z.array(z.strictObject({ category: z.string(), threshold: z.string() })).optional(),
    generationConfig: generationConfig.optional(),
    serviceTier: z.enum(['standard', 'flex', 'priority']).optional(),
  })
  .superRefine(({ contents }, context) => {
    for (const problem of turnProblems(contents)) context.addIssue({ code: 'custom', message: problem });
  });

export type GenerateContent = z.output<typeof generateContent>;
export type Part = z.output<typeof part>;
type Content = GenerateContent['contents'][number];

const task = z.enum(['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT', 'CLASSIFICATION', 'CLUSTERING']).optional();
const length = z.int().min(1).max(3072).optional();
const oneText = z.strictObject({ parts: z.tuple([text]) });

const options = { outputDimensionality: length, autoTruncate: z.boolean().optional() };
const model = z.string().startsWith('models/');
const oneRequest = z.strictObject({ model, content: oneText, taskType: task, outputDimensionality: length });

/** The body of `batchEmbedContents`. */
export const batchEmbedContents = z.strictObject({ requests: z.array(oneRequest).min(1).max(100) });

/** The body of `embedContent` on Vertex AI. */
export const embedContent = z.strictObject({
  content: oneText,
  embedContentConfig: z.strictObject({ taskType: task, ...options }).optional(),
});

/** The body of `predict` on Vertex AI, for embeddings. */
export const predict = z.strictObject({
  instances: z.tuple([z.strictObject({ content: z.string().min(1), task_type: task })]),
  parameters: z.strictObject(options),
});

const absent = z.undefined('Extra inputs are not permitted').optional();

/** The body of `rawPredict` and `streamRawPredict` for Claude. */
export const claude = z.looseObject({
  anthropic_version: z.literal('vertex-2023-10-16'),
  stream: z.literal(true).optional(),
  model: absent,
  betas: absent,
  service_tier: absent,
  tools: z.array(z.looseObject({ strict: absent })).optional(),
});

/** Returns what Google refuses about the order of turns. */
function* turnProblems(contents: Content[]): Generator<string> {
  if (contents[0]?.role !== 'user') yield 'Please ensure that single turn requests end with a user role';
  for (const [at, { role, parts }] of contents.entries()) {
    const before = contents[at - 1];
    if (before?.role === role)
      yield 'Please ensure that multiturn requests alternate between user and model.';
    const answers = parts.filter((each) => 'functionResponse' in each).length;
    const calls = before?.parts.filter((each) => 'functionCall' in each).length ?? 0;
    if (answers !== calls)
      yield 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  }
}

/** Returns the levels of a model's thoughts; undefined for models that take budgets. */
export function levelsOf(model: string): string[] | undefined {
  if (model.startsWith('gemini-2.5')) return undefined;
  if (model === 'gemini-4-hydrogen') return ['low', 'medium', 'high', 'xhigh'];
  return /^gemini-(4|3\.[78]|3\.1-pro)/.test(model)
    ? ['low', 'medium', 'high']
    : ['minimal', 'low', 'medium', 'high'];
}
