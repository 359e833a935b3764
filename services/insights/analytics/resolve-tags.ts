import type { TagUse } from '../../../db/insights/analytics-tags.ts';
import type { ClassifierStore } from '../../../db/insights/classifier-store.ts';
import type { AnalyticsQuery } from '../../../domain/insights/analytics-query.ts';
import { invalidRequest } from '../../../domain/errors.ts';

/** Returns the tags of an active classifier of the organization. Throws 400 for any other. */
export async function resolveTags(
  classifiers: Pick<ClassifierStore, 'find'>,
  organizationId: string,
  { id, groupBy, filters }: NonNullable<AnalyticsQuery['classifier']>,
): Promise<{ use: TagUse; workspaceId: string }> {
  const classifier = await classifiers.find(organizationId, id);
  if (classifier === null || !classifier.isActive) {
    const part = groupBy === undefined ? 'classifier_filters' : 'classifier_dimensions';
    throw invalidRequest({ path: `body.${part}.classifier_id`, message: 'is no active classifier' });
  }
  const use = { classifierId: classifier.id, filters, ...(groupBy === undefined ? {} : { groupBy }) };
  return { use, workspaceId: classifier.workspaceId };
}
