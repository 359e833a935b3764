/** Lists the fields of requests that the gateway treats in another way than parameters of a model. */
import { UNLISTED_HINTS } from './hints.ts';

/** One field of a request, and how the gateway treats it. */
type Row = readonly [
  name: string,
  /** The field is sent to the provider. */
  upstream: boolean,
  /** `provider.require_parameters` asks for an endpoint that supports the field. */
  parameter: boolean,
  /** A preset that is made from the request keeps the field, in some cases under a newer name. */
  preset: boolean,
  /** Embeddings and rerank reject the field, which would have no effect there. */
  textOnly: boolean,
];

const [yes, no] = [true, false] as const;

/**
 * The fields that are not plain parameters of a model. A field that is not listed is sent to the provider, counts for
 * `provider.require_parameters`, and is kept in a preset that is made from a chat.
 */
// prettier-ignore
const FIELDS: readonly Row[] = [
  // Name                     upstream parameter preset textOnly
  ['model',                   yes,     no,       yes,   no],
  ['models',                  no,      no,       yes,   no],
  ['fallbacks',               no,      no,       yes,   yes],
  ['route',                   no,      no,       yes,   yes],
  ['provider',                no,      no,       yes,   no],
  ['preset',                  no,      no,       no,    yes],
  ['plugins',                 no,      no,       yes,   yes],
  ['tools',                   yes,     yes,      yes,   yes],
  ['stop_server_tools_when',  no,      no,       yes,   yes],
  ['session_id',              no,      no,       no,    no],
  ['trace',                   no,      no,       no,    no],
  ['user',                    no,      no,       no,    no],
  ['debug',                   no,      no,       no,    yes],
  // Clients made for OpenRouter send these three fields, but vendors reject them.
  ['usage',                   no,      no,       no,    no],
  ['include_reasoning',       no,      no,       yes,   yes],
  ['transforms',              no,      no,       yes,   yes],
  // Every endpoint supports these fields, or never receives them.
  ['messages',                yes,     no,       no,    no],
  ['input',                   yes,     no,       no,    no],
  ['prompt',                  yes,     no,       no,    no],
  ['stream',                  yes,     no,       no,    no],
  ['stream_options',          yes,     no,       no,    no],
  ['stream_format',           yes,     no,       no,    no],
  ['metadata',                yes,     no,       no,    no],
  ['cache_control',           yes,     no,       yes,   no],
];

/** Fields that only the gateway uses; they are sent to no provider. */
export const NOT_SENT_UPSTREAM = namesWhere(([, upstream]) => !upstream);

/** Fields that do not count for `provider.require_parameters`. */
export const NOT_PARAMETERS: ReadonlySet<string> = new Set([
  ...namesWhere(([, , parameter]) => !parameter),
  ...UNLISTED_HINTS,
]);

/** Fields that presets keep under their own name, in all three dialects. */
export const KEPT_IN_PRESETS = namesWhere(([, , , preset]) => preset);

/** Fields that belong to one request or one caller; presets do not keep them. */
export const NOT_KEPT_IN_PRESETS = namesWhere(([, , , preset]) => !preset);

/** Fields that only chat, messages and responses take. */
export const TEXT_ONLY = namesWhere(([, , , , textOnly]) => textOnly);

function namesWhere(holds: (row: Row) => boolean): ReadonlySet<string> {
  return new Set(FIELDS.filter(holds).map(([name]) => name));
}
