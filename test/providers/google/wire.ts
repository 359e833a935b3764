/** The requests of Gemini's API as its reference documents them, and what the reference refuses. */
import { z } from 'zod';

const base64 = z.string().regex(/^[\w+/]+={0,2}$/);
const inlineData = z.strictObject({ mimeType: z.string().regex(/^\w+\/[\w.+-]+$/), data: base64 });
const signed = { thought: z.boolean().optional(), thoughtSignature: z.string().min(1).optional() };
const name = z.string().regex(/^[A-Za-z_][\w.:-]{0,127}$/);
const object = z.record(z.string(), z.unknown());

const fileData = z.strictObject({ fileUri: z.string(), mimeType: z.string().optional() });

const part = z.union([
  z.strictObject({
    text: z.string(),
    speechMetadata: z
      .strictObject({ speaker: z.string().optional(), style: z.string().optional() })
      .optional(),
    ...signed,
  }),
  z.strictObject({ inlineData, ...signed }),
  z.strictObject({ fileData, ...signed }),
  z.strictObject({
    functionCall: z.strictObject({ id: z.string().optional(), name, args: object.optional() }),
    ...signed,
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name,
      response: object,
      parts: z.array(z.union([z.strictObject({ inlineData }), z.strictObject({ fileData })])).optional(),
    }),
  }),
]);

const content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) });

const thinkingConfig = z
  .strictObject({
    includeThoughts: z.boolean().optional(),
    thinkingBudget: z.int().optional(),
    thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  })
  .refine((config) => config.thinkingBudget === undefined || config.thinkingLevel === undefined, {
    error: 'You can only set only one of thinking budget and thinking level.',
  });

const voiceConfig = z.strictObject({
  prebuiltVoiceConfig: z.strictObject({ voiceName: z.string() }),
});

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
    imageConfig: z.strictObject({
      aspectRatio: z
        .string()
        .regex(/^\d+:\d+$/)
        .optional(),
      imageSize: z.enum(['512', '1K', '2K', '4K']).optional(),
    }),
    speechConfig: z.union([
      z.strictObject({ voiceConfig }),
      z.strictObject({
        multiSpeakerVoiceConfig: z.strictObject({
          speakerVoiceConfigs: z.array(z.strictObject({ speaker: z.string(), voiceConfig })).length(2),
        }),
      }),
    ]),
    thinkingConfig,
  })
  .partial()
  .refine(
    (config) => config.responseJsonSchema === undefined || config.responseMimeType === 'application/json',
    { error: 'responseJsonSchema needs responseMimeType application/json' },
  );

/** The body of `generateContent`. */
export const generateContent = z
  .strictObject({
    contents: z.array(content).min(1),
    systemInstruction: z
      .strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })) })
      .optional(),
    tools: z
      .array(
        z.strictObject({
          functionDeclarations: z.array(
            z.strictObject({
              name,
              description: z.string().optional(),
              parametersJsonSchema: object.optional(),
            }),
          ),
        }),
      )
      .optional(),
    toolConfig: z
      .strictObject({
        functionCallingConfig: z.strictObject({
          mode: z.enum(['AUTO', 'ANY', 'NONE']),
          allowedFunctionNames: z.array(name).optional(),
        }),
      })
      .optional(),
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

/** The body of `batchEmbedContents`. */
export const batchEmbedContents = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        model: z.string().startsWith('models/'),
        content: z.strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).length(1) }),
        taskType: z.enum(['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT', 'CLASSIFICATION']).optional(),
        outputDimensionality: z.int().min(1).max(3072).optional(),
      }),
    )
    .min(1)
    .max(100),
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
