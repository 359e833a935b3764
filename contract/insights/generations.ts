import { z } from 'zod';
import { generation, generationContent } from './generation.ts';
import * as examples from './generation-examples.ts';
import { defineOperation } from '../operation.ts';

const tag = 'Generations';

/** The id may be any string. An invalid id is a 404, like one that does not exist. */
const query = z.object({
  id: z
    .string()
    .meta({ description: 'The id from `x-generation-id` or the answer.', examples: [examples.ID] }),
});

export const getGeneration = defineOperation({
  id: 'getGeneration',
  method: 'get',
  path: '/generation',
  access: 'read',
  tag,
  summary: 'Get a generation',
  description:
    "Returns the usage, cost and attempts of a generation. It is available as soon as the generation's answer is, except during a database outage: then it follows after the outage.",
  query,
  responses: {
    200: {
      description: 'The generation.',
      schema: z.object({ data: generation }),
      example: { data: examples.generation },
    },
  },
  errors: [402, 404, 502, 524, 529],
});

export const getGenerationContent = defineOperation({
  id: 'getGenerationContent',
  method: 'get',
  path: '/generation/content',
  access: 'read',
  isCompressed: false,
  tag,
  summary: 'Get what a generation was asked and answered',
  description:
    "Available only if the workspace has input and output logging switched on, for generations that its settings select. Bodies appear moments after the generation's end and stay as long as logged bodies are kept; 404 otherwise.",
  query,
  responses: {
    200: {
      description: 'Input and output.',
      schema: z.object({ data: generationContent }),
      example: { data: examples.generationContent },
    },
  },
  errors: [403, 404, 502, 524, 529],
});
