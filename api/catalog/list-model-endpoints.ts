/**
 * Handles `GET /models/{author}/{slug}/endpoints`: lists the endpoints of a model, with their prices and recent
 * performance.
 */
import { operations } from '../../contract/operations.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import { createdOf, presentArchitecture } from './present-model.ts';
import { presentModelEndpoint } from './present-model-endpoint.ts';
import { defineRoute } from '../http/route.ts';

export const listModelEndpoints = defineRoute(
  operations.listModelEndpoints,
  async ({ headers, params: { author, slug } }, { services: { models } }) => {
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
);
