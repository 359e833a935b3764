/** Defines the answer and the stream events of image requests. */
import { z } from 'zod';
import { streamErrorDetails } from '../errors.ts';
import { usage } from './usage.ts';

const b64 = z.string().meta({
  description: 'The picture’s bytes in base64; for `svg`, the markup in UTF-8.',
});
const mediaType = z
  .string()
  .optional()
  .meta({ examples: ['image/png'] });

const split = z
  .object({ text_tokens: z.int(), image_tokens: z.int() })
  .optional()
  .meta({ description: 'Set if the numbers of text tokens and image tokens are known.' });

/** Usage under the names of a chat and those of OpenAI's image operations. */
const imageUsage = z
  .looseObject({
    ...usage.shape,
    input_tokens: z
      .int()
      .meta({ description: 'Equals `prompt_tokens`, under the name that OpenAI’s clients use.' }),
    output_tokens: z.int().meta({ description: 'Equals `completion_tokens`.' }),
    input_tokens_details: split,
    output_tokens_details: split,
  })
  .meta({ id: 'ImageUsage' });

const imageIndex = z.int().min(0).meta({
  description:
    'The index of the picture in the response, from 0. A draft has the index of its finished picture. If the provider’s events have an `image_index`, that is the index. Otherwise the gateway counts the pictures and assumes that the provider makes them one after another.',
});

/** The answer to POST /images. */
export const imagesResult = z
  .object({
    created: z.int().meta({ description: 'Unix seconds.' }),
    data: z.array(z.object({ b64_json: b64, media_type: mediaType })),
    usage: imageUsage.optional(),
  })
  .meta({ id: 'ImagesResult' });

/** An event of a streamed answer, distinguished by `type`. The stream ends with `data: [DONE]`. */
export const imageEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('image_generation.partial_image'),
      b64_json: b64,
      image_index: imageIndex,
      partial_image_index: z
        .int()
        .meta({ description: 'The index of the draft among the drafts of its picture.' }),
    }),
    z.object({
      type: z.literal('image_generation.text_chunk'),
      text: z.string(),
      phase: z.enum(['content', 'reasoning', 'draft']),
    }),
    z.object({
      type: z.literal('image_generation.completed'),
      b64_json: b64,
      image_index: imageIndex,
      created: z.int(),
      media_type: mediaType,
      usage: imageUsage
        .optional()
        .meta({ description: 'The usage of all pictures, sent with the last one.' }),
    }),
    z.object({
      type: z.literal('error'),
      error: z.object({
        message: z.string(),
        code: z.string().nullable().optional().meta({ description: 'A stable identifier for programs.' }),
        type: z.string().nullable().optional(),
        param: z.string().nullable().optional(),
        metadata: streamErrorDetails.optional(),
      }),
    }),
  ])
  .meta({ id: 'ImageEvent' });

export type ImagesResultBody = z.output<typeof imagesResult>;
export type ImageEventBody = z.output<typeof imageEvent>;
