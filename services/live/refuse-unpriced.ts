/** Refuses chat features that have no price or that would store data at the vendor. */
import { invalidRequest, type Issue } from '../../domain/errors.ts';
import { fieldsIn, isFields } from './dialects/fields.ts';
import { type RefusedFields, refuseFields } from './refuse-fields.ts';
import type { RoutableBody } from '../routing/routable-body.ts';

/**
 * The service tiers at the catalog's prices, by the names of OpenAI and Anthropic. Other tiers cost more or less, and
 * no endpoint has a price for them (ADR 0026).
 */
const STANDARD_TIERS: readonly string[] = ['auto', 'default', 'standard', 'standard_only'];

/**
 * The fields of a chat that would store data at the vendor or cost more than tokens, with their allowed values. The
 * other dialects refuse them as well, because their requests may be passed on to chat endpoints.
 */
export const KEPT_OR_UNPRICED: RefusedFields = {
  store: [false],
  web_search_options: [],
  service_tier: STANDARD_TIERS,
};

const MAX_ISSUES = 50;

/**
 * Rejects chats that ask the vendor for storage, for files or audio stored under the operator's account, or for
 * features for which no endpoint has a price (ADR 0026). Throws a 400 that names the fields, also in options for one
 * provider.
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
