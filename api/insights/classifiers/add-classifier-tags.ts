/** Handles `POST /classifiers/{id}/tags`: tags generations in the dimensions of a classifier. */
import type { TagsAddedBody } from '../../../contract/insights/classifiers.ts';
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { defineRoute } from '../../http/route.ts';

export const addClassifierTags = defineRoute(
  operations.addClassifierTags,
  async ({ principal, client, params, body, idempotency }, { services }) => {
    const tags = body.tags.map(({ generation_id: generationId, dimension, value }) => ({
      generationId,
      dimension,
      value,
    }));
    const result = await services.classifiers.addTags(actorOf(principal, client), params.id, tags, {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (added) => ({ status: 200, body: { data: { added } } }),
    });
    return {
      status: 200,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as TagsAddedBody,
    };
  },
);
