/** Handles `PATCH /classifiers/{id}`: changes the fields of a classifier that the body names. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentClassifier } from './present-classifier.ts';
import { requireUpdateFields } from '../../http/request/require-update-fields.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const updateClassifier = defineRoute(
  operations.updateClassifier,
  async ({ principal, client, params, body }, { services }) => {
    const { name, description, is_active: isActive } = body;
    const changes = requireUpdateFields(withoutUndefined({ name, description, isActive }));
    const updated = await services.classifiers.update(actorOf(principal, client), params.id, changes);
    return { status: 200, body: { data: presentClassifier(updated) } };
  },
);
