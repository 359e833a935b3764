/** Declares the operation that generates images, at its own path and at that of OpenAI's clients. */
import { GENERATION_HEADERS } from '../headers.ts';
import { generationOperation } from './generation-request.ts';
import { imageEvent, imagesResult } from './image-result.ts';
import { imagesRequest } from './images-request.ts';
import { EXAMPLE_PICTURE } from '../example-picture.ts';
import { defineOperations } from '../operation.ts';

/** The properties of the operation at both paths. */
const imageOperation = {
  ...generationOperation,
  errorMessages: 'exact',
  tag: 'Images',
  body: {
    schema: imagesRequest,
    limit: 'generation',
    examples: {
      simple: {
        summary: 'A picture',
        value: { model: 'local/image-1', prompt: 'A lighthouse at dusk', aspect_ratio: '16:9' },
      },
      edited: {
        summary: 'From another picture, streamed',
        value: {
          model: 'local/image-1',
          prompt: 'The same in winter',
          input_references: [{ type: 'image_url', image_url: { url: EXAMPLE_PICTURE } }],
          stream: true,
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The pictures, or with `stream: true` the partial and finished pictures as they arrive.',
      schema: imagesResult,
      events: imageEvent,
      headers: GENERATION_HEADERS,
      example: {
        created: 1_767_225_600,
        data: [{ b64_json: 'iVBORw0KGgo…', media_type: 'image/png' }],
        usage: {
          prompt_tokens: 5,
          completion_tokens: 0,
          input_tokens: 5,
          output_tokens: 0,
          total_tokens: 5,
          input_tokens_details: { text_tokens: 5, image_tokens: 0 },
          cost: 0.001,
          is_byok: false,
        },
      },
    },
  },
  errors: [402, 404, 502, 524, 529],
} as const;

export const imageOperations = defineOperations(imageOperation, {
  createImages: {
    route: 'POST /images',
    summary: 'Generate images',
    description:
      'Makes pictures from a text, and from reference pictures if the model accepts them. Tiers, ratios and qualities are clamped to those of the model; pixels are made exactly or refused.',
  },

  createImageGenerations: {
    route: 'POST /images/generations',
    summary: 'Generate images, at the path of OpenAI’s clients',
    description: 'Does the same as `POST /images`.',
  },
});
