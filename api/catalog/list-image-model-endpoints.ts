/**
 * Handles `GET /images/models/{author}/{slug}/endpoints`: lists the endpoints of an image model, with their parameters
 * and prices.
 */
import { operations } from '../../contract/operations.ts';
import { presentImageEndpoint } from './present-image-model.ts';
import { defineRoute } from '../http/route.ts';

export const listImageModelEndpoints = defineRoute(
  operations.listImageModelEndpoints,
  async ({ params: { author, slug } }, { services: { images } }) => {
    const model = images.model(`${author}/${slug}`);
    const endpoints = model.endpoints.map((endpoint) =>
      presentImageEndpoint(endpoint, images.providerName(endpoint.providerSlug)),
    );
    return { status: 200, body: { id: model.id, endpoints } };
  },
);
