import { z } from 'zod';
import { generation, generationContent } from './generation.ts';
import * as examples from './generation-examples.ts';
import { defineOperation } from '../operation.ts';

const tag = 'Generations';

/** The id may be any string. An invalid id is a 404, like one that does not exist. */
const query = z.object({
  id: z.string().meta({ description: 'From `x-generation-id` or the answer.', examples: [examples.ID] }),
});

export const getGeneration = defineOperation({
  id: 'getGeneration',
  method: 'get',
  path: '/generation',
  access: 'read',
  tag,
  summary: 'Get a generation',
  description:
    'What a generation used, cost and went through. It is there when its answer is, except while the database is away: then it follows as soon as that is back.',
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
    'Only where the workspace has input and output logging switched on, for generations that its settings pick, moments after their end and for as long as logged bodies are kept; 404 otherwise.',
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
