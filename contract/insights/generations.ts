/** Declares the operations that return a recorded generation and its logged content. */
import { z } from 'zod';
import { generation, generationContent } from './generation.ts';
import * as examples from './generation-examples.ts';
import { defineOperations } from '../operation.ts';

const common = { access: 'read', tag: 'Generations' } as const;

/** The id may be any string. An invalid id is a 404, like one that does not exist. */
const query = z.object({
  id: z.string().meta({
    description: 'The id from `x-generation-id` or from the response body.',
    examples: [examples.ID],
  }),
});

export const generationOperations = defineOperations(common, {
  getGeneration: {
    route: 'GET /generation',
    summary: 'Get a generation',
    description:
      'Returns the usage, cost and attempts of a generation. The record is available as soon as the answer is; during a database outage it follows after the outage.',
    query,
    responses: {
      200: {
        description: 'The generation.',
        schema: z.object({ data: generation }),
        example: { data: examples.generation },
      },
    },
    errors: [402, 404, 502, 524, 529],
  },

  getGenerationContent: {
    route: 'GET /generation/content',
    isCompressed: false,
    summary: 'Get the input and output of a generation',
    description:
      'Returns the prompt and the answer of a generation. They are stored if the workspace logs inputs and outputs and its settings select the generation. They appear moments after the end of the generation and stay as long as logged bodies are kept. Otherwise the response is a 404.',
    query,
    responses: {
      200: {
        description: 'Input and output.',
        schema: z.object({ data: generationContent }),
        example: { data: examples.generationContent },
      },
    },
    errors: [403, 404, 502, 524, 529],
  },
});
