import { z } from 'zod';

/** The fields of faults in answers with pictures, in addition to the general faults. */
const onImages = {
  on: z.literal('images').default('images'),
  times: z.int().min(1).max(1_000_000).default(1),
  delayMs: z.int().min(0).max(3_600_000).default(0),
};
const bytes = z.int().min(0);

export const imageFaults = [
  z
    .object({ kind: z.literal('fewer-images'), ...onImages, images: z.int().min(0).default(1) })
    .describe('Makes so many pictures, whatever was asked for'),
  z
    .object({
      kind: z.literal('large-image'),
      ...onImages,
      bytes: bytes.default(30 * 1024 ** 2).describe('Of its base64'),
      stallsAfter: bytes.optional().describe('Falls silent after so many bytes of it'),
    })
    .describe('Makes the last picture that large; it shows nothing'),
] as const;

const imageFault = z.discriminatedUnion('kind', [...imageFaults]);
export type ImageFault = z.output<typeof imageFault>;

const KINDS = new Set<string>(imageFaults.map(({ shape }) => shape.kind.value));

export function isImageFault(fault: { kind: string }): fault is ImageFault {
  return KINDS.has(fault.kind);
}
