/** Converts the query of `GET /models` to the filters of a list of models. */
import type { ModelQuery } from '../../contract/catalog/model-query.ts';
import { listOf } from '../../contract/query-values.ts';
import type { ModelFilter } from '../../domain/catalog/model-filter.ts';

const REGIONS = { eu: 'europe', us: 'us' } as const;

/** Converts the query to a filter. Names of authors, families and providers match in any case. */
export function toModelFilter(query: ModelQuery): ModelFilter {
  return {
    category: query.category,
    supportedParameters: optionalListOf(query.supported_parameters),
    inputModalities: optionalListOf(query.input_modalities),
    outputModalities: outputModalitiesOf(query),
    text: query.q?.toLowerCase(),
    minContext: query.context,
    promptPrice: { min: query.min_price, max: query.max_price },
    completionPrice: { min: query.min_output_price, max: query.max_output_price },
    family: query.arch?.toLowerCase(),
    authors: optionalListOf(query.model_authors?.toLowerCase()),
    providers: optionalListOf(query.providers?.toLowerCase()),
    distillable: query.distillable,
    zdr: query.zdr && true,
    region: query.region && REGIONS[query.region],
    ageDays: { min: query.min_age_days, max: query.max_age_days },
    intelligenceIndex: { min: query.min_intelligence_index, max: query.max_intelligence_index },
    codingIndex: { min: query.min_coding_index, max: query.max_coding_index },
    agenticIndex: { min: query.min_agentic_index, max: query.max_agentic_index },
    toolSuccessRate: { min: query.min_tool_success_rate, max: query.max_tool_success_rate },
  };
}

/** Returns the requested modalities; undefined for all. */
export function outputModalitiesOf({
  output_modalities: requested = 'text',
}: Pick<ModelQuery, 'output_modalities'>): string[] | undefined {
  const modalities = listOf(requested);
  return modalities.includes('all') ? undefined : modalities;
}

function optionalListOf(value: string | undefined): string[] | undefined {
  return value === undefined ? undefined : listOf(value);
}
