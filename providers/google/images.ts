/** Makes pictures with Gemini's image models. */
import { type Fields, fieldsIn, isFields, textOf, withoutUndefined } from '../../domain/fields.ts';
import { malformedAnswer } from '../answer-checks.ts';
import type { OpenAiUsage } from '../chat-adapter.ts';
import type { ImageAdapter, ImageRequest, MadeImage } from '../image-adapter.ts';
import { inlineReferences } from '../inline-pictures.ts';
import { requestedType } from '../openai-compatible/images-answer.ts';
import { otherMediaType } from '../openai-compatible/made-picture.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { refusedContent } from '../refused-content.ts';
import { type NoteRepair, noteOf } from '../repairs.ts';
import type { TextHttp } from '../text-http.ts';
import { blockOf, candidateParts, pathOf } from './generate-content.ts';
import { ownOptions } from './own-options.ts';
import { inlinePart } from './parts.ts';
import { usageToChat } from './usage.ts';

/**
 * Creates the adapter for `generateContent` with pictures as its only modality (ai.google.dev/gemini-api/docs/
 * image-generation, read 2026-11-28). References stand before the prompt. An answer has one picture.
 */
export function createGoogleImages(
  http: TextHttp,
  { slug, outbound }: Pick<ProviderSettings, 'slug' | 'outbound'>,
): ImageAdapter {
  return {
    async generate(request, context) {
      // Thoughts are among the tokens of the bill. Speech is billed by its sound alone.
      const own = ownOptions(request.options, slug, ['thinkingConfig']);
      const references = await inlineReferences(request.references, outbound, context);
      const body = toBody(request, own, references.map(inlinePart));
      const answer = await http.post(pathOf(request.model, 'generateContent'), body, context);
      const images = picturesIn(answer, requestedType(request));
      const usage = usageOf(answer['usageMetadata'], noteOf(context));
      return { images, ...(usage && { usage }) };
    },
  };
}

function toBody(
  { prompt, aspectRatio, resolution, seed }: ImageRequest,
  { config, rest }: ReturnType<typeof ownOptions>,
  references: unknown[],
): Fields {
  const ratio = aspectRatio === 'auto' ? undefined : aspectRatio;
  const imageConfig = withoutUndefined({ aspectRatio: ratio, imageSize: resolution });
  return {
    ...rest,
    contents: [{ role: 'user', parts: [...references, { text: prompt }] }],
    generationConfig: {
      ...config,
      responseModalities: ['IMAGE'],
      ...(Object.keys(imageConfig).length > 0 && { imageConfig }),
      ...(seed !== undefined && { seed }),
    },
  };
}

/** Returns the pictures of an answer. Throws ProviderError, for refused content with the code `content_policy`. */
function picturesIn(answer: Fields, type: string): MadeImage[] {
  const pictures = fieldsIn(answer['candidates'])
    .flatMap(candidateParts)
    .flatMap(({ inlineData, thought }): MadeImage[] => {
      if (!isFields(inlineData) || thought === true) return [];
      const { mimeType, data } = inlineData;
      if (typeof data !== 'string' || data === '') return [];
      return [{ b64Json: data, ...otherMediaType(textOf(mimeType), type) }];
    });
  if (pictures.length > 0) return pictures.slice(0, 1);
  const reason = blockOf(answer);
  if (reason !== '') throw refusedContent(reason);
  throw malformedAnswer('no picture');
}

/** Returns the counts. Without details, all tokens but those of thoughts are of pictures. */
function usageOf(counted: unknown, note: NoteRepair): OpenAiUsage | undefined {
  const usage = isFields(counted) ? usageToChat(counted, note) : undefined;
  if (usage === undefined) return undefined;
  const { completion_tokens: all = 0, completion_tokens_details: details } = usage;
  const thoughts = details?.['reasoning_tokens'];
  const pictures = all - (typeof thoughts === 'number' ? thoughts : 0);
  return { ...usage, completion_tokens_details: { image_tokens: pictures, ...details } };
}
