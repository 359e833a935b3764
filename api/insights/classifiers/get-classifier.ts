/** Handles `GET /classifiers/{id}`: returns one classifier. */
import { operations } from '../../../contract/operations.ts';
import { presentClassifier } from './present-classifier.ts';
import { defineRoute } from '../../http/route.ts';

export const getClassifier = defineRoute(
  operations.getClassifier,
  async ({ principal, params }, { services }) => {
    const classifier = await services.classifiers.get(principal.organizationId, params.id);
    return { status: 200, body: { data: presentClassifier(classifier) } };
  },
);
