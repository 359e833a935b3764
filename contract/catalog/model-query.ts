/** Defines the filters, order and paging of `GET /models`. */
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
    .meta({ description: `${what} per million tokens at the preferred endpoint, in US dollars.` });
const days = (what: string) =>
  queryNumber({ min: 0, max: MAX_DAYS })
    .optional()
    .meta({ description: `${what} of the model, in days.` });
const index = (what: string) =>
  queryNumber({ min: -1_000_000, max: 1_000_000 })
    .optional()
    .meta({ description: `${what}; models without this index are left out.` });
const names = (what: string) =>
  queryList()
    .optional()
    .meta({ description: `Comma-separated ${what}.` });

/** The page of a list of models. Without both parameters the whole list is one page. */
export const modelPage = {
  limit: queryInteger({ min: 1, max: MAX_PAGE }).optional().meta({
    description:
      'The maximum number of models to return. Default: 500 if only `offset` is given, all if neither is.',
  }),
  offset: queryInteger({ min: 0, max: 2_147_483_647 })
    .optional()
    .meta({ description: 'The number of models to skip.' }),
};

export const outputModalities = {
  output_modalities: queryList(OUTPUTS)
    .optional()
    .meta({
      description: `Models with any of these outputs, comma-separated: ${OUTPUTS.join(', ')}. Default \`text\`.`,
    }),
};

export const modelQuery = z.object({
  ...modelPage,
  ...outputModalities,
  category: z
    .enum(CONTENT_CATEGORIES)
    .optional()
    .meta({ description: 'A category that the catalog gives the model.' }),
  supported_parameters: names('request fields; one endpoint must support all of them'),
  input_modalities: queryList(MODALITIES)
    .optional()
    .meta({ description: 'Input modalities, comma-separated; a model must accept all of them.' }),
  q: text({ min: 1, max: 256 })
    .optional()
    .meta({ description: 'Words; each must occur in the name or in one of the slugs.' }),
  context: queryInteger({ min: 1 }).optional().meta({ description: 'The smallest context, in tokens.' }),
  min_price: dollars('The lowest input price'),
  max_price: dollars('The highest input price'),
  min_output_price: dollars('The lowest output price'),
  max_output_price: dollars('The highest output price'),
  arch: text({ min: 1, max: 64 })
    .optional()
    .meta({ description: 'The model family, as in `architecture.tokenizer`.' }),
  model_authors: names('authors: the part of a model’s id before the slash'),
  providers: names('names or slugs of providers; one of them must serve the model'),
  distillable: queryFlag().optional().meta({
    description: 'Selects models by whether any endpoint allows training other models on their text.',
  }),
  zdr: z.literal('true').optional().meta({ description: 'Only models with a zero-data-retention endpoint.' }),
  region: z
    .enum(['eu', 'us'])
    .optional()
    .meta({ description: 'Only models with an endpoint in this region.' }),
  min_age_days: days('The lowest age'),
  max_age_days: days('The highest age'),
  min_intelligence_index: index('The lowest intelligence index'),
  max_intelligence_index: index('The highest intelligence index'),
  min_coding_index: index('The lowest coding index'),
  max_coding_index: index('The highest coding index'),
  min_agentic_index: index('The lowest agentic index'),
  max_agentic_index: index('The highest agentic index'),
  min_tool_success_rate: queryNumber({ min: 0, max: 1 }).optional(),
  max_tool_success_rate: queryNumber({ min: 0, max: 1 }).optional(),
  sort: z.enum(MODEL_SORTS).optional().meta({
    description: 'The order; newest first by default. Models without a value for the order come last.',
  }),
});

export type ModelQuery = z.output<typeof modelQuery>;
