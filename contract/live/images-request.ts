/** Validates image requests. */
import { z } from 'zod';
import { IMAGE_ASPECT_RATIOS, IMAGE_RESOLUTIONS } from '../../domain/live/image-size.ts';
import {
  contradictionsIn,
  IMAGE_BACKGROUNDS,
  IMAGE_FORMATS,
  IMAGE_QUALITIES,
} from '../../domain/live/image-request.ts';
import { fallbackModels, gatewayFields, modelName } from './generation-request.ts';
import { orNull } from '../or-null.ts';
import { hasAllowedSides, PIXELS_PATTERN, SIDES_RULE } from '../pixels.ts';
import { mediaUrl, text } from '../text.ts';

const MAX_IMAGES = 10;
const MAX_REFERENCES = 16;
/** The qualities of DALL·E 3, which older clients still send by default. */
const FORMER_QUALITIES = new Map<unknown, string>([
  ['standard', 'medium'],
  ['hd', 'high'],
]);

const size = z
  .string()
  .refine((value) => isName(value) || PIXELS_PATTERN.test(value), {
    error: `must be auto, one of ${IMAGE_RESOLUTIONS.join(', ')}, or WIDTHxHEIGHT in pixels`,
    abort: true,
  })
  .refine((value) => isName(value) || hasAllowedSides(value), SIDES_RULE)
  .meta({
    description:
      'A tier, which equals `resolution`, or exact pixels. Pixels are made exactly. Pixels are a 400 if no endpoint of the model makes them (`size_rule` of `GET /images/models`), or if a `resolution` or `aspect_ratio` in the request does not match them.',
    examples: ['2K', '1536x1024'],
  });

function isName(value: string): boolean {
  return value === 'auto' || IMAGE_RESOLUTIONS.some((tier) => tier === value);
}

const reference = z
  .object({ type: z.literal('image_url'), image_url: z.object({ url: mediaUrl('image') }) })
  .meta({ id: 'ImageReference', description: 'A picture to work from.' });

/**
 * The body of POST /images. Unknown fields are ignored, as clients of this API shape expect. The service checks rules
 * that depend on the model, with the same kind of issue.
 */
export const imagesRequest = z
  .object({
    model: orNull(modelName).meta({
      description: 'A model of `GET /images/models`. Absent: the `default_image_model` of the workspace.',
    }),
    models: fallbackModels,
    prompt: text({ min: 1 }),
    n: orNull(z.int().min(1).max(MAX_IMAGES)).meta({
      description: 'The maximum number of pictures to make; a model may make fewer. Default: 1.',
    }),
    size: orNull(size),
    resolution: orNull(z.enum(IMAGE_RESOLUTIONS)).meta({
      description: 'Clamped to the values of the model. It must match any pixels in `size`.',
    }),
    aspect_ratio: orNull(z.enum(IMAGE_ASPECT_RATIOS)).meta({
      description: 'Clamped to the values of the model. It must match any pixels in `size`.',
    }),
    output_format: orNull(z.enum(IMAGE_FORMATS)).meta({ description: '`svg` requires a vectorizing model.' }),
    output_compression: orNull(z.int().min(0).max(100)).meta({
      description:
        'The compression of `jpeg` and `webp`, for models with such a parameter; ignored otherwise.',
    }),
    background: orNull(z.enum(IMAGE_BACKGROUNDS)).meta({
      description: '`transparent` requires the output format `png` or `webp`.',
    }),
    quality: z
      .preprocess((value) => FORMER_QUALITIES.get(value) ?? value, orNull(z.enum(IMAGE_QUALITIES)))
      .optional()
      .meta({
        description:
          'Clamped to the qualities of the model; ignored by models without qualities. `standard` means `medium` and `hd` means `high`, for clients made for DALL·E 3.',
      }),
    seed: orNull(z.int()).meta({
      description: 'The seed for repeatable sampling, if the provider supports it.',
    }),
    input_references: orNull(z.array(reference).max(MAX_REFERENCES)),
    stream: orNull(z.boolean()).meta({
      description:
        'True: the response is server-sent events with partial pictures, if the provider streams; otherwise it is plain JSON.',
    }),
    response_format: orNull(z.literal('b64_json', 'must be b64_json: pictures are not kept here')).meta({
      description: 'Accepted for clients of OpenAI’s API.',
    }),
    ...gatewayFields,
  })
  .superRefine((body, context) => {
    for (const { path, message } of contradictionsIn(body)) {
      context.addIssue({ code: 'custom', path: [path], message });
    }
  })
  .meta({ id: 'ImagesRequest' });

export type ImagesRequestBody = z.output<typeof imagesRequest>;
