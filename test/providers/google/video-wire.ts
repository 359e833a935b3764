/** Defines the requests for videos of Omni and of Veo as Google documents them. All other fields are refused. */
import { z } from 'zod';

const mime = z.enum(['image/png', 'image/jpeg', 'image/webp']);
const picture = z.strictObject({ type: z.literal('image'), data: z.base64(), mime_type: mime });
const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
const content = z.array(z.discriminatedUnion('type', [picture, text])).min(1);
const task = z.enum(['text_to_video', 'image_to_video', 'reference_to_video', 'edit']);
// A duration of Protobuf; a bare number is a 400.
const duration = z.string().regex(/^([3-9]|1[0-5])s$/);
const ratio = z.enum(['16:9', '9:16']).optional();

const form = z.strictObject({
  type: z.literal('video'),
  aspect_ratio: ratio,
  resolution: z.enum(['360p', '720p', '1080p', '4k']).optional(),
  duration: duration.optional(),
});
const interaction = z.strictObject({
  model: z.enum(['gemini-omni-1.2-flash', 'gemini-omni-1.1-flash']),
  input: z.tuple([z.strictObject({ type: z.literal('user_input'), content })]),
  // Without it, the answer would come when the video is made.
  background: z.literal(true),
  previous_interaction_id: z.string().optional(),
  generation_config: z.strictObject({ video_config: z.strictObject({ task }) }),
});

export type InteractionBody = z.output<typeof interaction> & {
  response_format: Form | [Form];
  webhook_config?: { uris: string[] } | undefined;
};
type Form = z.output<typeof form>;

function checkTask(body: InteractionBody, context: z.RefinementCtx): void {
  const { task: given } = body.generation_config.video_config;
  const pictures = body.input[0].content.filter(({ type }) => type === 'image').length;
  const [shape] = [body.response_format].flat();
  const isShaped = Object.keys(shape!).some((name) => name !== 'type' && name !== 'delivery');
  const fits = {
    text_to_video: pictures === 0,
    image_to_video: pictures === 1 || pictures === 2,
    reference_to_video: pictures > 0,
    edit: body.previous_interaction_id !== undefined && !isShaped,
  };
  if (!fits[given]) context.addIssue({ code: 'custom', message: `The input does not fit ${given}.` });
}

export const interactionBody = interaction
  .extend({
    response_format: form.extend({ delivery: z.enum(['inline', 'uri']).optional() }),
    webhook_config: z.strictObject({ uris: z.array(z.url()).min(1) }).optional(),
  })
  .superRefine(checkTask);
/** The same on Vertex AI, where forms are a list, and nothing calls back. */
export const vertexInteraction = interaction
  .extend({ response_format: z.tuple([form]) })
  .superRefine(checkTask);

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
