/** Encodes generations as the array parameters of the ledger's insert statement. */
import { clip } from '../../domain/clip.ts';
import type { AppFacts, GenerationRecord } from '../../domain/ledger/generation.ts';
import { MODALITIES, type Modality } from '../../domain/modality.ts';
import { timestampOfId } from '../../domain/ids.ts';

/** One parameter of the ledger's statement: an array with one value per row. */
interface Column {
  name: string;
  type: string;
  /** Returns the value as it stands in an array literal, with quotes where it needs them. */
  encode(value: unknown): string;
  read(generation: GenerationRecord): unknown;
}

/** The longest text from callers and upstreams, which would otherwise determine the width of rows. */
const MAX_TEXT_LENGTH = 256;

type Read<Value> = (generation: GenerationRecord) => Value | null | undefined;

/** Returns a column of numbers or of Sluice's own names, which need no quotes. */
const raw = (name: string, type: string, read: Read<string | number | bigint | boolean>): Column => ({
  name,
  type,
  encode: String,
  read,
});

/** Returns a column of text of callers or upstreams. Text of more than `maxLength` UTF-16 code units is cut. */
const text = (name: string, read: Read<string>, maxLength = MAX_TEXT_LENGTH): Column => ({
  name,
  type: 'text',
  encode: (value) => `"${quotable(clip(value as string, maxLength))}"`,
  read,
});

/**
 * Returns a column of JSON. Its text has no control characters, so the quotes and backslashes that JSON sets around a
 * string are those of an array literal.
 */
const json = (name: string, read: Column['read']): Column => ({
  name,
  type: 'json',
  encode: (value) => JSON.stringify(JSON.stringify(value)),
  read,
});

/** Returns a column for a name that the contract limits to `characters`. A character may take two code units. */
const nameOf = (name: string, characters: number, read: Read<string>): Column =>
  text(name, read, 2 * characters);

/** Times as milliseconds, so that no process has to format or parse dates. */
const TIMES = [
  raw('created_ms', 'bigint', (g) => timestampOfId(g.id)),
  raw('settled_ms', 'bigint', (g) => g.settledAt.getTime()),
];

/** The columns of `generations` that are written unchanged. */
export const GENERATION_COLUMNS: readonly Column[] = [
  raw('id', 'text', (g) => g.id),
  raw('organization_id', 'uuid', (g) => g.organizationId),
  raw('workspace_id', 'uuid', (g) => g.workspaceId),
  raw('key_id', 'bigint', (g) => g.keyId),
  text('model', (g) => g.model),
  text('provider', (g) => g.provider),
  raw('api_type', 'api_type', (g) => g.apiType),
  raw('status', 'generation_status', (g) => g.status),
  raw('data_region', 'data_region', (g) => g.dataRegion),
  text('finish_reason', (g) => g.finishReason),
  raw('cost_nanos', 'numeric', (g) => g.costNanos),
  raw('upstream_cost_nanos', 'numeric', (g) => g.upstreamCostNanos),
  raw('is_byok', 'boolean', (g) => g.isByok),
  raw('streamed', 'boolean', (g) => g.streamed),
  text('country', (g) => g.country),
  text('user_id', (g) => g.userId),
  nameOf('external_user', 512, (g) => g.externalUser),
  text('preset_id', (g) => g.presetId),
  raw('tokens_prompt', 'integer', (g) => g.usage?.prompt),
  raw('tokens_completion', 'integer', (g) => g.usage?.completion),
  raw('tokens_reasoning', 'integer', (g) => g.usage?.reasoning),
  raw('tokens_cache_read', 'integer', (g) => g.usage?.cacheRead),
  raw('tokens_cache_write', 'integer', (g) => g.usage?.cacheWrite),
  raw('tokens_prompt_audio', 'integer', (g) => g.usage?.promptAudio),
  raw('tokens_completion_image', 'integer', (g) => g.usage?.completionImage),
  raw('media_prompt', 'integer', (g) => g.mediaPrompt),
  raw('media_completion', 'integer', (g) => g.mediaCompletion),
  raw('tool_calls', 'smallint', (g) => g.toolCalls),
  raw('input_modalities', 'smallint', (g) => bitsOf(g.inputModalities)),
  raw('output_modalities', 'smallint', (g) => bitsOf(g.outputModalities)),
  raw('latency_ms', 'integer', (g) => g.latencyMs),
  raw('generation_ms', 'integer', (g) => g.generationMs),
  text('sample_category', (g) => g.sample?.category),
  text('sample_language_type', (g) => g.sample?.languageType),
  raw('sample_weight', 'integer', (g) => g.sample?.weight),
];

/** The columns of `generation_details`, except `id` and `created_at`. */
export const DETAIL_COLUMNS: readonly Column[] = [
  text('upstream_id', (g) => g.details.upstreamId),
  text('native_finish_reason', (g) => g.details.nativeFinishReason),
  text('service_tier', (g) => g.details.serviceTier),
  nameOf('session_id', 256, (g) => g.sessionId),
  text('http_referer', (g) => g.details.httpReferer),
  text('app_title', (g) => g.details.appTitle),
  text('user_agent', (g) => g.details.userAgent),
  text('request_id', (g) => g.details.requestId),
  json('provider_responses', (g) => g.details.providerResponses),
  json('bill', (g) => g.details.bill),
];

/** The facts for the broadcast log; set only for workspaces with a destination. */
const FACTS = json('broadcast_facts', (g) => g.broadcast);

const PLAIN = [...TIMES, ...GENERATION_COLUMNS, ...DETAIL_COLUMNS, FACTS];

/** The columns of the statement's input rows. */
export const INPUT_COLUMNS: readonly { name: string; type: string }[] = [
  ...PLAIN,
  { name: 'app_id', type: 'bigint' },
  { name: 'app_n', type: 'bigint' },
];

/** The cached ids of apps, by `appKey`. */
export type KnownApps = ReadonlyMap<string, string>;

/** A value of the ledger's statement. */
type LedgerValue = string | number | string[];

/** The longest origin and title that are stored. The size of an index entry is limited. */
const MAX_ORIGIN_LENGTH = 300;
const MAX_TITLE_LENGTH = 128;

export function appKey(origin: string, title: string): string {
  return `${origin} ${title}`;
}

export function keyOfApp(app: AppFacts): string {
  const { origin, title } = storedApp(app);
  return appKey(origin, title);
}

/**
 * Returns the values of the ledger's statement in the order of its names: the shard, an array literal for each of
 * INPUT_COLUMNS, and the origins and titles of unknown apps. As JSON, the same rows would take this process twice the
 * time and Postgres a sixth more. Throws a TypeError on an invalid id.
 */
export function encodeGenerations(
  generations: readonly GenerationRecord[],
  shard: number,
  knownApps: KnownApps,
): LedgerValue[] {
  const values: LedgerValue[] = [shard];
  for (const column of PLAIN) values.push(encodeColumn(column, generations));
  const unknown = new Map<string, { n: number; origin: string; title: string }>();
  let appIds = '';
  let appNumbers = '';
  for (const { app } of generations) {
    const facts = app === null ? undefined : storedApp(app);
    const key = facts && appKey(facts.origin, facts.title);
    const id = key && knownApps.get(key);
    if (facts !== undefined && key !== undefined && id === undefined && !unknown.has(key)) {
      unknown.set(key, { n: unknown.size + 1, ...facts });
    }
    appIds += `,${id ?? 'NULL'}`;
    appNumbers += `,${(key !== undefined && unknown.get(key)?.n) || 'NULL'}`;
  }
  const apps = [...unknown.values()];
  values.push(
    `{${appIds.slice(1)}}`,
    unknown.size === 0 ? '{}' : `{${appNumbers.slice(1)}}`,
    apps.map(({ origin }) => origin),
    apps.map(({ title }) => title),
  );
  return values;
}

/** Encodes a column. A column without values becomes an empty array, which `unnest` extends with nulls. */
function encodeColumn({ encode, read }: Column, generations: readonly GenerationRecord[]): string {
  let literal = '';
  let isEmpty = true;
  for (const generation of generations) {
    const value = read(generation);
    if (value === null || value === undefined) {
      literal += ',NULL';
      continue;
    }
    isEmpty = false;
    literal += `,${encode(value)}`;
  }
  return isEmpty ? '{}' : `{${literal.slice(1)}}`;
}

const NUL = '\u0000';
const SPECIAL = /["\\]/;

/** Escapes text, and removes NUL, which Postgres rejects in text. */
function quotable(value: string): string {
  if (!SPECIAL.test(value) && !value.includes(NUL)) return value;
  return value.replaceAll(NUL, '').replaceAll(/["\\]/g, String.raw`\$&`);
}

function storedApp({ origin, title }: AppFacts): { origin: string; title: string } {
  return {
    origin: clip(origin, MAX_ORIGIN_LENGTH),
    title: clip((title ?? '').replaceAll(NUL, ''), MAX_TITLE_LENGTH),
  };
}

/** Returns one bit for each modality, the lowest for the first of MODALITIES. */
function bitsOf(modalities: readonly Modality[]): number {
  let bits = 0;
  for (const modality of modalities) bits |= 1 << MODALITIES.indexOf(modality);
  return bits;
}
