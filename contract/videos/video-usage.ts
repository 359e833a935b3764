/** Defines the parts of a video's usage that exist only where a provider counts the units. */
import { z } from 'zod';

export const meteredUsage = {
  units: z.record(z.string(), z.number()).optional().meta({
    description:
      'The units that the provider reported, by their SKU, such as `video_tokens`. Absent if it reports none.',
  }),
  is_estimated: z.literal(true).optional().meta({
    description:
      'True if the provider did not report the units that decide about the cost: the documented number was billed.',
  }),
};
