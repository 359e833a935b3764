/** Prints the bill of a request line by line for each endpoint of a model, for `admin catalog explain`. */
import { parseArgs } from 'node:util';
import { createCatalogStore, type ModelRow } from '../db/catalog/catalog-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import type { LiveEndpoint } from '../domain/catalog/catalog.ts';
import { type BillLine, explainBill } from '../domain/catalog/explained-bill.ts';
import { nearestNames } from '../domain/catalog/nearest-names.ts';
import { pricesUnder } from '../domain/catalog/price-conditions.ts';
import type { Circumstances } from '../domain/catalog/price-verdict.ts';
import { costOfTokens, formatPrice, parsePrice } from '../domain/catalog/token-price.ts';
import { PRICE_NAMES, type TokenPricing } from '../domain/catalog/token-pricing.ts';
import { pricedTierOf } from '../domain/live/service-tier.ts';
import { formatUsd, type Nanos } from '../domain/money.ts';
import type { TokenUsage } from '../domain/token-usage.ts';
import { nameModels, namesWithin } from '../services/catalog/model-names.ts';
import { estimateText } from '../services/live/pipeline/text-estimate.ts';
import { measurePrompt } from '../services/live/prompt/measure-prompt.ts';
import { AdminUsageError, positionalsOf, required } from './arguments.ts';
import { formatTable } from './table.ts';

export const EXPLAIN_USAGE = `catalog explain MODEL --prompt TOKENS [--output TOKENS] [--cached TOKENS]
  [--cache-write TOKENS] [--cache-write-hour TOKENS] [--reasoning TOKENS] [--tier TIER] [--at TIME]`;

/** A finished request, as a vendor would count it. */
interface ExplainedRequest {
  usage: TokenUsage;
  /** Undefined: the standard tier. */
  tier: string | undefined;
  atMs: number;
}

/** Returns the bill of the request at each endpoint of the model that takes new requests. */
export async function explainBillOf(knex: Handle, args: string[]): Promise<string> {
  const { name, request } = parseRequest(args);
  const rows = await createCatalogStore(knex).load();
  const model = namesWithin(rows.models, nameModels(rows))(name);
  if (model === undefined) throw unknownModel(name, rows.models);
  const endpoints = rows.liveEndpoints.filter(({ modelId }) => modelId === model.id);
  if (endpoints.length === 0)
    throw new AdminUsageError(`${model.id} has no endpoint that is priced by tokens`);
  return endpoints.map((endpoint) => explainAt(model, endpoint, request)).join('\n\n');
}

function unknownModel(name: string, models: readonly ModelRow[]): AdminUsageError {
  const ids = models.map(({ id }) => id);
  const [nearest] = nearestNames(name, ids);
  const advice = nearest === undefined ? 'See: npm run admin -- catalog list' : `Did you mean ${nearest}?`;
  return new AdminUsageError(`${name} is not a model of the catalog. ${advice}`);
}

/** The most tokens of an option. The command measures a prompt of this length. */
const MAX_TOKENS = 20_000_000;

function parseRequest(args: string[]): { name: string; request: ExplainedRequest } {
  const text = { type: 'string' } as const;
  const counts = { prompt: text, output: text, cached: text, reasoning: text } as const;
  const writes = { 'cache-write': text, 'cache-write-hour': text } as const;
  const options = { ...counts, ...writes, tier: text, at: text };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [name] = positionalsOf('catalog', ['MODEL'], positionals) as [string];
  const count = (flag: keyof typeof counts | keyof typeof writes, absent = '0'): number => {
    const given = values[flag] ?? absent;
    const tokens = /^\d{1,8}$/.test(given) ? Number(given) : NaN;
    if (tokens <= MAX_TOKENS) return tokens;
    throw new AdminUsageError(`--${flag} must be a whole number of at most ${MAX_TOKENS} tokens`);
  };
  const hour = count('cache-write-hour');
  const usage = {
    prompt: count('prompt', required('catalog', '--prompt', values.prompt)),
    completion: count('output'),
    cacheRead: count('cached'),
    cacheWrite: count('cache-write') + hour,
    cacheWriteHour: hour,
    reasoning: count('reasoning'),
  };
  if (usage.cacheRead + usage.cacheWrite > usage.prompt) {
    throw new AdminUsageError('--cached, --cache-write and --cache-write-hour are parts of --prompt');
  }
  if (usage.reasoning > usage.completion) throw new AdminUsageError('--reasoning is a part of --output');
  const atMs = values.at === undefined ? Date.now() : Date.parse(values.at);
  if (Number.isNaN(atMs)) throw new AdminUsageError('--at must be a time such as 2027-01-01T00:00:00Z');
  return { name, request: { usage, tier: pricedTierOf(values.tier), atMs } };
}

function explainAt(model: ModelRow, endpoint: LiveEndpoint, request: ExplainedRequest): string {
  const { id, capability, pricing, contextLength } = endpoint;
  const { usage, tier, atMs } = request;
  const context = contextLength ?? model.contextLength;
  const head = `${id}, ${tier ?? 'standard'} tier, ${new Date(atMs).toISOString()}`;
  if (capability !== 'chat' && capability !== 'embeddings') {
    return `${head}\n  It is not priced by tokens alone. GET /models/${model.id}/endpoints has its prices.`;
  }
  if (tier !== undefined && !hasPrices(pricing, tier, atMs)) {
    return `${head}\n  It has no prices for this tier, so it gets no request for it.`;
  }
  const notes = [
    ...(context !== null && usage.prompt + usage.completion > context
      ? [`The request is longer than the context of ${context.toLocaleString('en')} tokens.`]
      : []),
    ...(capability === 'chat' ? [reservation(model, endpoint, request)] : []),
  ];
  return [head, ...[billTable(endpoint, request), ...notes].map(indent)].join('\n');
}

function hasPrices({ overrides = [] }: TokenPricing, tier: string, atMs: number): boolean {
  return overrides.some(
    ({ serviceTier, validFrom }) =>
      serviceTier === tier && (validFrom === undefined || Date.parse(validFrom) <= atMs),
  );
}

function billTable({ capability, pricing }: LiveEndpoint, { usage, tier, atMs }: ExplainedRequest): string {
  const circumstances: Circumstances = {
    promptTokens: [usage.prompt, usage.prompt],
    startedAtMs: atMs,
    endedAtMs: [atMs, atMs],
    serviceTier: tier,
    inputModalities: ['text'],
    outputModalities: [capability === 'embeddings' ? 'embeddings' : 'text'],
  };
  const lines = explainBill(pricing, usage, circumstances);
  const { totalNanos } = costOfTokens(pricesUnder(pricing, circumstances), usage);
  return formatTable(
    ['', 'count', '$ per million', 'price', 'cost'],
    [
      ...lines.map((line) => [
        line.kind,
        line.count.toLocaleString('en'),
        formatPrice(parsePrice(line.price) * 1_000_000n),
        originText(line, pricing),
        formatPrice(line.attos),
      ]),
      ['total', '', '', '', formatUsd(totalNanos)],
    ],
  );
}

/** Names a price, and the entry with its conditions, such as `prompt of overrides[0] (minPromptTokens 272000)`. */
function originText({ name, entry }: BillLine, { overrides = [] }: TokenPricing): string {
  if (entry === null) return name;
  const prices: readonly string[] = PRICE_NAMES;
  const conditions = Object.entries(overrides[entry] ?? {})
    .filter(([field]) => !prices.includes(field))
    .map(([field, value]) => `${field} ${String(value)}`);
  return `${name} of overrides[${entry}] (${conditions.join(', ')})`;
}

/** Reserves for an English text of this length, four bytes a token, that limits the answer to the given tokens. */
function reservation(
  { id: _id, ...model }: ModelRow,
  endpoint: LiveEndpoint,
  { usage, tier, atMs }: ExplainedRequest,
): string {
  const ttl = usage.cacheWriteHour ? '1h' : '5m';
  const part = { type: 'text', text: 'word'.repeat(usage.prompt) };
  const content = usage.cacheWrite ? [{ ...part, cache_control: { type: 'ephemeral', ttl } }] : [part];
  const fields = { messages: [{ role: 'user', content }], service_tier: tier };
  const target = { model: { ...model, id: endpoint.modelId, endpoints: [endpoint] }, endpoint };
  const {
    fixed,
    mostFixed = fixed,
    output,
  } = estimateText(target, {
    prompt: measurePrompt(fields, undefined, atMs),
    limit: Math.max(1, usage.completion),
    answers: 1,
    reasoning: { least: 0, most: 0 },
    modalities: ['text'],
  });
  const answer = output?.least ?? 0n;
  const sum = (prompt: Nanos): string => formatUsd(prompt + answer);
  return `reserved: ${sum(fixed)} for a text of four bytes a token; near a limit, ${sum(mostFixed)} for a token a byte`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
