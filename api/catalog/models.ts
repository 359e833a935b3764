/** Lists the models, endpoints and providers of the catalog. */
import type { ModelQuery } from '../../contract/catalog/model-query.ts';
import type { ProviderRecord } from '../../contract/catalog/model.ts';
import type { modelOperations } from '../../contract/catalog/models.ts';
import { listOf } from '../../contract/query-values.ts';
import type { ProviderRow } from '../../db/catalog/catalog-store.ts';
import type { ModelFilter } from '../../domain/catalog/model-filter.ts';
import type { ModelService } from '../../services/catalog/model-service.ts';
import type { OwnModels } from '../../services/endpoints/own-models.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerModelPage, answerWholeList } from './model-page.ts';
import { createdOf, presentArchitecture, presentModel, presentModelEndpoint } from './present-model.ts';

const REGIONS = { eu: 'europe', us: 'us' } as const;

export const modelRoutes: RoutesOf<typeof modelOperations, { models: ModelService; ownModels: OwnModels }> = {
  /** Handles `GET /models`: lists the models that can be requested now, text models by default. */
  listModels: async (call, { services: { models } }) => {
    const { headers, query } = call;
    if (Object.keys(query).length === 0) return answerWholeList(headers, models.textModels());
    return answerModelPage('/models', call, models.list(toModelFilter(query), query.sort));
  },

  /**
   * Handles `GET /models/user`: lists the whole catalog, which every key may use, and the models that only the key's
   * workspace can use.
   */
  listUserModels: async (call, { services: { models, ownModels } }) => {
    const { headers, query, principal } = call;
    const own = await ownModels.of(principal);
    if (Object.keys(query).length === 0 && own.length === 0) {
      return answerWholeList(headers, models.textModels());
    }
    const matching = models.list({ outputModalities: outputModalitiesOf(query) }, 'newest', own);
    return answerModelPage('/models/user', call, matching);
  },

  /** Handles `GET /embeddings/models`: lists the models that make embeddings. */
  listEmbeddingsModels: async (call, { services: { models } }) =>
    answerModelPage('/embeddings/models', call, models.list({ outputModalities: ['embeddings'] })),

  /** Handles `GET /models/count`: returns the number of models that can be requested now. */
  countModels: async ({ headers, query }, { services: { models } }) => {
    const count = models.list({ outputModalities: outputModalitiesOf(query) }).length;
    return answerConditionally(headers, { data: { count } });
  },

  /** Handles `GET /model/{author}/{slug}`: returns one model of the public catalog. */
  getModel: async ({ headers, params: { author, slug } }, { services: { models } }) =>
    answerConditionally(headers, { data: presentModel(models.find(`${author}/${slug}`)) }),

  /**
   * Handles `GET /models/{author}/{slug}/endpoints`: lists the endpoints of a model, with their prices and recent
   * performance.
   */
  listModelEndpoints: async ({ headers, params: { author, slug } }, { services: { models } }) => {
    const model = models.find(`${author}/${slug}`);
    const data = {
      id: model.id,
      name: model.name,
      created: createdOf(model),
      description: model.description ?? '',
      architecture: presentArchitecture(model),
      endpoints: model.endpoints.map((endpoint) => presentModelEndpoint(model, endpoint, models)),
    };
    return answerConditionally(headers, { data });
  },

  /** Handles `GET /endpoints/zdr`: lists the endpoints that retain no data (zero data retention). */
  listZdrEndpoints: async ({ headers }, { services: { models } }) => {
    const data = models
      .list({ zdr: true })
      .flatMap((model) =>
        model.endpoints
          .filter(({ zdr }) => zdr)
          .map((endpoint) => presentModelEndpoint(model, endpoint, models)),
      );
    return answerConditionally(headers, { data });
  },

  /** Handles `GET /providers`: lists the providers that serve models of the catalog. */
  listProviders: async ({ headers }, { services: { models } }) =>
    answerConditionally(headers, { data: models.providers().map(presentProvider) }),
};

/** Converts the query to a filter. Names of authors, families and providers match in any case. */
function toModelFilter(query: ModelQuery): ModelFilter {
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
function outputModalitiesOf({
  output_modalities: requested = 'text',
}: Pick<ModelQuery, 'output_modalities'>): string[] | undefined {
  const modalities = listOf(requested);
  return modalities.includes('all') ? undefined : modalities;
}

function optionalListOf(value: string | undefined): string[] | undefined {
  return value === undefined ? undefined : listOf(value);
}

/** Turns a provider into an entry of the body of `GET /providers`. */
function presentProvider(provider: ProviderRow): ProviderRecord {
  return {
    name: provider.name,
    slug: provider.slug,
    privacy_policy_url: provider.privacyPolicyUrl,
    terms_of_service_url: provider.termsOfServiceUrl,
    status_page_url: provider.statusPageUrl,
    headquarters: provider.headquarters,
    datacenters: provider.datacenters,
  };
}
