import { z } from 'zod';
import { CONTENT_CATEGORIES } from '../../domain/catalog/content-class.ts';
import { MODALITIES } from '../../domain/modality.ts';
import { MODEL_SORTS } from '../../domain/catalog/model-order.ts';
import { queryFlag, queryInteger, queryList, queryNumber } from '../query-values.ts';
import { text } from '../text.ts';

/** The output modalities by which models can be filtered. `all` selects every model; `speech` is spoken text. */
const OUTPUTS = [
  'text',
  'image',
  'embeddings',
  'audio',
  'video',
  'rerank',
  'decisions',
  'speech',
  'transcription',
  'all',
] as const;

const MAX_PAGE = 1_000;
const MAX_DAYS = 100_000;

const dollars = (what: string) =>
  queryNumber({ min: 0, max: 1_000_000 })
    .optional()
    .meta({ description: `${what} for a million tokens of the preferred endpoint, in US dollars.` });
const days = (what: string) =>
  queryNumber({ min: 0, max: MAX_DAYS })
    .optional()
    .meta({ description: `${what} since the model was made, in days.` });
const index = (what: string) =>
  queryNumber({ min: -1_000_000, max: 1_000_000 })
    .optional()
    .meta({ description: `${what}; models without one are left out.` });
const names = (what: string) =>
  queryList()
    .optional()
    .meta({ description: `Comma-separated ${what}.` });

/** The page of a list of models. Without both parameters the whole list is one page. */
export const modelPage = {
  limit: queryInteger({ min: 1, max: MAX_PAGE }).optional().meta({
    description: 'The most models to return. Default: 500 if only `offset` is given, all if neither is.',
  }),
  offset: queryInteger({ min: 0, max: 2_147_483_647 })
    .optional()
    .meta({ description: 'The number of models to skip.' }),
};

export const outputModalities = {
  output_modalities: queryList(OUTPUTS)
    .optional()
    .meta({
      description: `Models that make any of these, comma-separated: ${OUTPUTS.join(', ')}. Default \`text\`.`,
    }),
};

export const modelQuery = z.object({
  ...modelPage,
  ...outputModalities,
  category: z.enum(CONTENT_CATEGORIES).optional().meta({ description: 'The use that the catalog states.' }),
  supported_parameters: names('request fields; one endpoint must take all of them'),
  input_modalities: queryList(MODALITIES)
    .optional()
    .meta({ description: 'Comma-separated; a model must take all of them.' }),
  q: text({ min: 1, max: 256 })
    .optional()
    .meta({ description: 'Words that must all be in the name or one of the slugs.' }),
  context: queryInteger({ min: 1 }).optional().meta({ description: 'The least context, in tokens.' }),
  min_price: dollars('The least price'),
  max_price: dollars('The highest price'),
  min_output_price: dollars('The least price of what is made'),
  max_output_price: dollars('The highest price of what is made'),
  arch: text({ min: 1, max: 64 })
    .optional()
    .meta({ description: 'The family, as in `architecture.tokenizer`.' }),
  model_authors: names('first halves of the id'),
  providers: names('names or slugs of providers, any of which must serve it'),
  distillable: queryFlag().optional().meta({
    description: 'Selects models by whether any endpoint allows training other models on their text.',
  }),
  zdr: z
    .literal('true')
    .optional()
    .meta({ description: 'Only models with an endpoint that retains nothing.' }),
  region: z.enum(['eu', 'us']).optional().meta({ description: 'Only models with an endpoint there.' }),
  min_age_days: days('The least time'),
  max_age_days: days('The longest time'),
  min_intelligence_index: index('The least intelligence index'),
  max_intelligence_index: index('The highest intelligence index'),
  min_coding_index: index('The least coding index'),
  max_coding_index: index('The highest coding index'),
  min_agentic_index: index('The least agentic index'),
  max_agentic_index: index('The highest agentic index'),
  min_tool_success_rate: queryNumber({ min: 0, max: 1 }).optional(),
  max_tool_success_rate: queryNumber({ min: 0, max: 1 }).optional(),
  sort: z.enum(MODEL_SORTS).optional().meta({
    description: 'The order; newest first by default. Models without a value for the order come last.',
  }),
});

export type ModelQuery = z.output<typeof modelQuery>;
