/** Defines the faults that the local upstream can simulate in image answers. */
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
    .describe('Makes this many images, regardless of the request'),
  z
    .object({
      kind: z.literal('large-image'),
      ...onImages,
      bytes: bytes.default(30 * 1024 ** 2).describe('The length of the base64 of the picture'),
      stallsAfter: bytes.optional().describe('Falls silent after so many bytes of it'),
    })
    .describe('Makes the last picture this large and blank'),
] as const;

const imageFault = z.discriminatedUnion('kind', [...imageFaults]);
export type ImageFault = z.output<typeof imageFault>;

const KINDS = new Set<string>(imageFaults.map(({ shape }) => shape.kind.value));

export function isImageFault(fault: { kind: string }): fault is ImageFault {
  return KINDS.has(fault.kind);
}
