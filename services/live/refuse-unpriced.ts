import { invalidRequest, type Issue } from '../../domain/errors.ts';
import { fieldsIn, isFields } from './dialects/fields.ts';
import { type RefusedFields, refuseFields } from './refuse-fields.ts';
import type { RoutableBody } from '../routing/routable-body.ts';

/**
 * The service tiers for which the catalog's prices hold, in the words of OpenAI and Anthropic. Other tiers cost more or
 * less, and no endpoint has a price for them (ADR 0026).
 */
const STANDARD_TIERS: readonly string[] = ['auto', 'default', 'standard', 'standard_only'];

/**
 * The fields of a chat that would be kept at the vendor or cost more than tokens, with the values that are harmless. The
 * other dialects refuse them as well, since their requests are passed on to endpoints of a chat.
 */
export const KEPT_OR_UNPRICED: RefusedFields = {
  store: [false],
  web_search_options: [],
  service_tier: STANDARD_TIERS,
};

const MAX_ISSUES = 50;

/**
 * Refuses what a chat may not ask of a vendor (ADR 0026): storage there, files and audio kept there under the operator's
 * account, and features whose price no endpoint has. Throws 400 that names the fields, also in options for one provider.
 */
export function refuseUnpriced(body: RoutableBody & { messages: readonly object[] }): void {
  refuseFields(body, KEPT_OR_UNPRICED);
  const issues = keptIn(body.messages);
  if (issues.length > 0) throw invalidRequest(...issues.slice(0, MAX_ISSUES));
}

function keptIn(messages: readonly object[]): Issue[] {
  const issues: Issue[] = [];
  for (const [index, message] of messages.entries()) {
    const { content, audio } = message as { content?: unknown; audio?: unknown };
    if (isFields(audio) && isNamed(audio['id'])) {
      issues.push({ path: `body.messages.${index}.audio.id`, message: 'names audio that is not kept here' });
    }
    if (!Array.isArray(content)) continue;
    for (const [position, { file }] of fieldsIn(content).entries()) {
      if (!isFields(file) || !isNamed(file['file_id'])) continue;
      const path = `body.messages.${index}.content.${position}.file.file_id`;
      issues.push({ path, message: 'names a file that is not kept here: send its bytes' });
    }
  }
  return issues;
}

function isNamed(id: unknown): boolean {
  return id !== undefined && id !== null;
}
