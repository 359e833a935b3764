import { z } from 'zod';

/** What Google documents of a request for an interaction with an Omni model. All other fields are refused here. */
const picture = z.strictObject({
  type: z.literal('image'),
  data: z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/),
  mime_type: z.enum(['image/png', 'image/jpeg', 'image/webp']),
});
const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
const content = z.array(z.discriminatedUnion('type', [picture, text])).min(1);
const task = z.enum(['text_to_video', 'image_to_video', 'reference_to_video', 'edit']);

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
      aspect_ratio: z.enum(['16:9', '9:16']).optional(),
      resolution: z.enum(['360p', '720p', '1080p', '4k']).optional(),
      // A duration of Protobuf; a bare number is a 400.
      duration: z
        .string()
        .regex(/^([3-9]|1[0-5])s$/)
        .optional(),
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

export type InteractionBody = z.output<typeof interactionBody>;
