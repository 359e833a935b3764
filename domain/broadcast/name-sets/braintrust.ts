/** Names the attributes of a span as Braintrust reads them. */
import { type Attributes, presentAttributes } from '../attribute.ts';
import { isTexts } from '../metadata-attributes.ts';
import type { BroadcastSpan } from '../span.ts';

/** Adds Braintrust's names. Braintrust recognizes calls of models by the conventions' own names. */
export function braintrustAttributes({ metadata }: BroadcastSpan): Attributes {
  const { tags, ...rest } = metadata;
  const hasTags = isTexts(tags);
  const fields = hasTags ? rest : metadata;
  return presentAttributes({
    'braintrust.metadata': Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields),
    'braintrust.tags': hasTags ? tags : undefined,
  });
}
