/** Handles `GET /endpoints/zdr`: lists the endpoints that retain no data (zero data retention). */
import { operations } from '../../contract/operations.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import { presentModelEndpoint } from './present-model-endpoint.ts';
import { defineRoute } from '../http/route.ts';

export const listZdrEndpoints = defineRoute(
  operations.listZdrEndpoints,
  async ({ headers }, { services: { models } }) => {
    const data = models
      .list({ zdr: true })
      .flatMap((model) =>
        model.endpoints
          .filter(({ zdr }) => zdr)
          .map((endpoint) => presentModelEndpoint(model, endpoint, models)),
      );
    return answerConditionally(headers, { data });
  },
);
