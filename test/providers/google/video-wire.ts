/** Defines the requests for videos of Omni and of Veo as Google documents them. All other fields are refused. */
import { z } from 'zod';
import { isFields } from '../../../domain/fields.ts';

const mime = z.enum(['image/png', 'image/jpeg', 'image/webp']);
const picture = z.strictObject({ type: z.literal('image'), data: z.base64(), mime_type: mime });
const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
const content = z.array(z.discriminatedUnion('type', [picture, text])).min(1);
const task = z.enum(['text_to_video', 'image_to_video', 'reference_to_video', 'edit']);
// A duration of Protobuf; a bare number is a 400.
const duration = z.string().regex(/^([3-9]|1[0-5])s$/);
const ratio = z.enum(['16:9', '9:16']).optional();

export const interactionBody = z
  .strictObject({
    model: z.enum(['gemini-omni-1.2-flash', 'gemini-omni-1.1-flash']),
    input: z.tuple([z.strictObject({ type: z.literal('user_input'), content })]),
    // Without it, the answer would come when the video is made.
    background: z.literal(true),
    previous_interaction_id: z.string().optional(),
    response_format: z.strictObject({
      type: z.literal('video'),
      delivery: z.enum(['inline', 'uri']).optional(),
      aspect_ratio: ratio,
      resolution: z.enum(['360p', '720p', '1080p', '4k']).optional(),
      duration: duration.optional(),
    }),
    generation_config: z.strictObject({ video_config: z.strictObject({ task }) }),
    webhook_config: z.strictObject({ uris: z.array(z.url()).min(1) }).optional(),
  })
  .superRefine((body, context) => {
    const { task: given } = body.generation_config.video_config;
    const pictures = body.input[0].content.filter(({ type }) => type === 'image').length;
    const isShaped = Object.keys(body.response_format).some((name) => name !== 'type' && name !== 'delivery');
    const fits = {
      text_to_video: pictures === 0,
      image_to_video: pictures === 1 || pictures === 2,
      reference_to_video: pictures > 0,
      edit: body.previous_interaction_id !== undefined && !isShaped,
    };
    if (!fits[given]) context.addIssue({ code: 'custom', message: `The input does not fit ${given}.` });
  });
/** The same on Vertex AI, where forms are a list, and nothing calls back. */
export const vertexInteraction = z.preprocess(
  (values) => {
    const forms: unknown = isFields(values) ? values['response_format'] : undefined;
    return isFields(values) && Array.isArray(forms) && forms.length === 1
      ? { ...values, response_format: forms[0] as unknown }
      : undefined;
  },
  interactionBody.refine(
    (body) => body.webhook_config === undefined && body.response_format.delivery === undefined,
    'Unknown name',
  ),
);
export type InteractionBody = z.output<typeof interactionBody>;

const image = z.strictObject({ bytesBase64Encoded: z.base64(), mimeType: mime });
const asset = z.strictObject({ image, referenceType: z.literal('asset') });
export const prediction = z.strictObject({
  instances: z.tuple([
    z.strictObject({
      prompt: z.string().min(1).optional(),
      image: image.optional(),
      lastFrame: image.optional(),
      referenceImages: z.array(asset).min(1).max(3).optional(),
    }),
  ]),
  parameters: z.strictObject({
    sampleCount: z.int().min(1).max(4),
    durationSeconds: z.literal([4, 6, 8]).optional(),
    aspectRatio: ratio,
    resolution: z.enum(['720p', '1080p', '4k']).optional(),
    seed: z.int().min(0).max(4_294_967_295).optional(),
    generateAudio: z.boolean().optional(),
    negativePrompt: z.string().optional(),
  }),
});
