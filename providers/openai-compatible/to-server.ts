/** Adapts requests to what most servers of OpenAI's wire understand, and to the deviations of one server. */
import type { Deviation } from '../../domain/catalog/deviations.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import type { TextRequest } from '../chat-adapter.ts';
import { adaptMessages } from './server-messages.ts';

/**
 * Returns the request for a server, without changing the original. Messages of the role `developer` get the role
 * `system`, thoughts go back under both of their names, and the effort of `reasoning` is sent as `reasoning_effort`.
 */
export function toServer(request: TextRequest, deviations: readonly Deviation[]): TextRequest {
  const { messages } = request;
  const sent = withNames(
    deviations.includes('reasoning_object') ? request : withEffort(request, deviations),
    deviations,
  );
  if (!Array.isArray(messages)) return sent;
  const adapted = adaptMessages(messages as unknown[], deviations);
  return adapted === messages ? sent : { ...sent, messages: adapted };
}

/**
 * Returns the request with the effort of `reasoning` under the name that most servers know. Null means absent in every
 * field, and some servers refuse it.
 */
function withEffort(request: TextRequest, deviations: readonly Deviation[]): TextRequest {
  const { reasoning, reasoning_effort: given } = request;
  const asked = isFields(reasoning) ? reasoning : {};
  const { effort, ...others } = Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== null && value !== undefined),
  );
  const wanted = given ?? (typeof effort === 'string' ? effort : undefined);
  if (deviations.includes('thinking_switch') && wanted !== undefined) return withSwitch(request, wanted);
  if (!isFields(reasoning)) return request;
  const { reasoning: _, ...rest } = request;
  return {
    ...rest,
    ...(wanted === undefined ? {} : { reasoning_effort: wanted }),
    ...(Object.keys(others).length === 0 ? {} : { reasoning: others }),
  };
}

/** Returns the request with thoughts switched off for the effort `none`, and on for every other one. */
function withSwitch(request: TextRequest, effort: unknown): TextRequest {
  const { reasoning: _, reasoning_effort: __, ...rest } = request;
  const isOff = effort === 'none';
  return {
    ...rest,
    thinking: rest['thinking'] ?? { type: isOff ? 'disabled' : 'enabled' },
    ...(isOff ? {} : { reasoning_effort: effort }),
  };
}

/** The names that some servers have for a field. */
const OTHER_NAMES: readonly [Deviation, from: string, to: string][] = [
  ['max_tokens', 'max_completion_tokens', 'max_tokens'],
  ['random_seed', 'seed', 'random_seed'],
];

function withNames(request: TextRequest, deviations: readonly Deviation[]): TextRequest {
  let named: Fields = request;
  for (const [deviation, from, to] of OTHER_NAMES) {
    if (!deviations.includes(deviation) || named[from] === undefined) continue;
    const { [from]: value, ...rest } = named;
    named = value === null ? rest : { ...rest, [to]: value };
  }
  return named as TextRequest;
}
