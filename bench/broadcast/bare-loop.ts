/** Forwards generations with a minimal program, as the reference for the speed of broadcast. */
import pg from 'pg';
import { Agent, request } from 'undici';
import type { Attributes } from '../../domain/broadcast/attribute.ts';
import { encodeTraces, type OtlpSpan } from '../../services/broadcast/otlp/encode.ts';

interface Row {
  shard: number;
  pos: string;
  id: string;
  created_at: Date;
  settled_at: Date;
  model: string;
  provider: string;
  finish_reason: string;
  cost_nanos: string;
  tokens_prompt: number;
  tokens_completion: number;
  provider_responses: { provider_name: string; status: number; latency: number }[];
  facts: { trace: Record<string, string>; parameters: { temperature: number }; requestModel: string };
}

const BATCH = 500;

const READ = {
  name: 'bare-read',
  text: `select l.shard, l.pos, l.facts, g.id, g.created_at, g.settled_at, g.model, g.provider, g.finish_reason,
      g.cost_nanos, g.tokens_prompt, g.tokens_completion, d.provider_responses
    from broadcast_log l
    join generations g on g.created_at = l.created_at and g.id = l.generation_id
    join generation_details d on d.created_at = g.created_at and d.id = g.id
    where l.workspace_id = $1 and l.shard = $2 and l.pos > $3
    order by l.pos limit ${BATCH}`,
};

/**
 * Sends the same rows as the shortest possible program would: it reads them in order, encodes them with the same
 * package and posts them. It does not filter, store its position, check answers or guard addresses. Returns the number
 * sent.
 */
export async function sendBare(
  databaseUrl: string,
  { workspaceId, shards }: { workspaceId: string; shards: number },
  url: string,
): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const dispatcher = new Agent();
  let sent = 0;
  try {
    for (let shard = 0; shard < shards; shard += 1) {
      for (let pos = '0'; ;) {
        const { rows } = await client.query<Row>({ ...READ, values: [workspaceId, shard, pos] });
        const last = rows.at(-1);
        if (last === undefined) break;
        const body = encodeTraces(rows.map(toSpan), { 'service.name': 'sluice' }, 'json');
        const headers = { 'content-type': 'application/json' };
        const answer = await request(url, { method: 'POST', headers, body, dispatcher });
        await answer.body.dump();
        if (answer.statusCode !== 200) throw new Error(`the sink answered ${answer.statusCode}`);
        [pos, sent] = [last.pos, sent + rows.length];
      }
    }
    return sent;
  } finally {
    await dispatcher.close();
    await client.end();
  }
}

function toSpan(row: Row): OtlpSpan {
  const { id, facts } = row;
  const hex = Buffer.from(id).toString('hex').padEnd(48, '0');
  const startedAtMs = row.created_at.getTime();
  return {
    traceId: hex.slice(-32),
    spanId: hex.slice(-48, -32),
    name: facts.trace['generation_name'] ?? 'chat',
    startedAtMs,
    endedAtMs: Math.max(startedAtMs, row.settled_at.getTime()),
    attributes: attributesOf(row),
    events: row.provider_responses.map(({ provider_name: provider, status, latency }, index) => ({
      name: 'sluice.attempt',
      atMs: startedAtMs + latency,
      attributes: {
        'sluice.attempt.number': index + 1,
        'gen_ai.provider.name': provider,
        'http.response.status_code': status,
        'sluice.attempt.latency_ms': latency,
      },
    })),
  };
}

/** Returns the attributes that the pump sends for such a row. */
function attributesOf(row: Row): Attributes {
  const { id, model, provider, finish_reason: reason, facts } = row;
  const cost = Number(row.cost_nanos) / 1e9;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': facts.requestModel,
    'gen_ai.response.id': id,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [reason],
    'sluice.generation.id': id,
    'sluice.trace.name': facts.trace['trace_name'] ?? '',
    'sluice.attempts': row.provider_responses.length,
    'gen_ai.request.temperature': facts.parameters.temperature,
    'gen_ai.usage.input_tokens': row.tokens_prompt,
    'gen_ai.usage.output_tokens': row.tokens_completion,
    'gen_ai.usage.cost': cost,
    'sluice.cost.total': cost,
    'sluice.cost.is_byok': false,
    'trace.metadata.tenant': facts.trace['tenant'] ?? '',
    'gen_ai.system': provider,
    'gen_ai.usage.total_tokens': row.tokens_prompt + row.tokens_completion,
    'gen_ai.usage.prompt_tokens': row.tokens_prompt,
    'gen_ai.usage.completion_tokens': row.tokens_completion,
    'gen_ai.response.finish_reason': reason,
  };
}
