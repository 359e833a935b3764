/** Handles `GET /classifiers`: lists the classifiers of the organization. */
import { operations } from '../../../contract/operations.ts';
import { presentClassifier } from './present-classifier.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const listClassifiers = defineRoute(
  operations.listClassifiers,
  async ({ principal, query }, { services }) => {
    const { limit, offset, include_inactive: includeInactive, workspace_id: workspaceId } = query;
    const { classifiers, totalCount } = await services.classifiers.list(principal.organizationId, {
      limit,
      offset,
      includeInactive,
      ...withoutUndefined({ workspaceId }),
    });
    return { status: 200, body: { data: classifiers.map(presentClassifier), total_count: totalCount } };
  },
);
