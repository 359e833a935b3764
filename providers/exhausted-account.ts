/** Recognizes errors about the operator's account: it has no credit, has reached a limit of spending, or is locked. */
import type { ErrorFields } from './error-fields.ts';

/**
 * The codes of such errors. Their statuses say something else: the caller neither exceeded a limit (429) nor sent a
 * wrong request (400).
 */
const CODES: ReadonlySet<string> = new Set([
  // OpenAI
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  // Moonshot
  'exceeded_current_quota_error',
  // Alibaba, under the status 400
  'Arrearage',
  // MiniMax
  'insufficient_balance_error',
  // Z.ai (docs.z.ai/api-reference/api-code): inactive, locked, without balance, locked for a violation
  '1110',
  '1112',
  '1113',
  '1121',
]);

/**
 * Matches messages that have no code of their own. Each begins with its words, unless it names the account's owner, so
 * that no request that a vendor quotes can bring it about.
 */
const MESSAGES: readonly RegExp[] = [
  // Anthropic, under the status 400
  /\bcredit balance is too low\b/i,
  /^You have reached your specified API usage limits\b/i,
  /^This organization has been disabled\b/i,
  // Google: no credit or the spending cap (429), no billing, or a country without the service (400)
  /\bcredits are depleted\b/i,
  /^Your project has exceeded its monthly spending cap\b/i,
  /\bfree tier is not available\b/i,
  /^User location is not supported\b/i,
  // Fireworks, under the status 412
  /^Account \S+ is suspended\b/i,
  // xAI, under the status 429
  /^Your team \S+ has either used all available credits\b/i,
  // MiniMax, under the statuses 429 and 500
  /^insufficient balance \(1008\)/i,
];

/** Returns whether the error says that the account cannot be used. A retry does not help, and another vendor may. */
export function saysAccountIsExhausted({ code = '', message = '' }: ErrorFields): boolean {
  return CODES.has(code) || MESSAGES.some((pattern) => pattern.test(message));
}
